"""Flags of fit commands: the shared ones, and those of each kind."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.lazy_import import import_object
from neuralshade.base.message_text import named
from neuralshade.base.toml_file import read_toml
from neuralshade.cli.completion import Text, completed
from neuralshade.cli.groups import GroupedOption
from neuralshade.cli.live import live_options
from neuralshade.cli.recipe_file import default_flags, file_flags, flags_of
from neuralshade.errors import ConfigError
from neuralshade.fitting.command import Flag
from neuralshade.fitting.defaults import defaults_path
from neuralshade.fitting.recipe import ENDS, fields_of, type_of, under
from neuralshade.kinds.kind import Kind

ENDLESS = 10**6  # a limit from there on only catches typing errors, and is not shown
TORCH_DEVICE = ("Device of PyTorch (cpu, cuda:0), or the GPU engine's API (cuda, vulkan, metal, "
                "d3d12). [default: see neuralshade devices]")  # fmt: skip
API = "GPU API: cuda, vulkan, metal or d3d12. [default: see neuralshade devices]"
APIS = ("cuda", "vulkan", "metal", "d3d12")  # a test holds them equal to those of gpu/open.py
# completions of text that begins with these; a test holds it equal to the registry
COMPLETED = {"encoding": ("auto", "cell_wave", "dense_grid", "frequency", "hash_grid", "identity",
                          "one_blob", "staggered_grid", "tile_grid", "triangle_wave")}  # fmt: skip
RUNNING = ("engine", "kernels", "deterministic", "device", "dump_kernels", "resume")
OPTIONS: dict[str, dict[str, Any]] = {  # of FitOptions, as arguments of click
    "engine": {"metavar": "[auto|torch|gpu]", "default": "auto", "show_default": True,
               "help": "What trains: PyTorch, or Slang on a GPU."},
    "kernels": {"metavar": "[auto|wgmma|matrix|fma]", "default": "auto", "show_default": True,
                "help": "Kernels of the GPU engine; fma uses plain loops, the others matrix "
                "units."},
    "deterministic": {"is_flag": True, "help": "Make the GPU engine give equal bits on every run; "
                      "it is slower."},
    "device": {"metavar": "API", "help": API, "type": Text(APIS)},
    "snapshots": {"metavar": "DIR", "help": "Folder for pictures of the fit at log-spaced steps."},
    "movie": {"metavar": "FILE", "help": "Animation of these pictures: .gif, or .mp4 (pip install "
              "neuralshade[movie])."},
    "tev": {"metavar": "HOST[:PORT]", "help": "Running tev viewer that shows these pictures. "
            "[default of PORT: 14158]"},
    "tensorboard": {"metavar": "DIR", "help": "Folder for a TensorBoard log (pip install "
                    "neuralshade[tensorboard])."},
    "events": {"metavar": "FILE", "help": "Append progress to FILE as JSON lines, for programs; - "
               "writes to standard output, which has nothing else then."},
    "dump_kernels": {"metavar": "DIR", "help": "Folder for the source and binary of each compiled "
                     "kernel."},
    "report": {"metavar": "FILE.html", "help": "HTML report to write at the end."},
    "resume": {"metavar": "FILE.nsh", "help": "Checkpoint to continue."},
}  # fmt: skip
ENDING: dict[str, dict[str, Any]] = {
    "json": {"is_flag": True, "help": "Print the result as one JSON line."},
    "quiet": {"is_flag": True, "help": "Print only errors, and the address of --live."},
}  # fmt: skip


def parameters_of(kind: Kind) -> list[click.Parameter]:
    """Return argument and flags of the command that fits ``kind``."""
    subject = kind.subject
    many: dict[str, Any] = {}
    if subject.several:
        many = {"nargs": -1, "metavar": f"[{subject.name.upper()}]..."}
    parameters: list[click.Parameter] = [click.Argument([subject.name], **many)]
    output = GroupedOption(["-o", "--output"], group="fitted", metavar=kind.output_form,
                           help=_output(kind))  # fmt: skip
    parameters.append(output)
    parameters += [_own(flag) for flag in kind.flags]
    if kind.presets:
        about = f"{kind.presets_about} [default: {kind.presets[0]}]"
        parameters.append(GroupedOption(["--preset"], group="fitted", metavar="NAME", help=about,
                                        type=Text(kind.presets)))  # fmt: skip
    parameters.append(GroupedOption(["--recipe"], group="fitted", metavar="FILE", is_eager=True,
                                    callback=partial(_heed_flags, kind),
                                    help=kind.recipe_about))  # fmt: skip
    heeded = [name for name in OPTIONS if name in kind.takes]
    before = [name for name in heeded if name not in ("report", "resume")]
    parameters += [_option(name, kind) for name in before]
    if "live" in kind.takes:
        parameters += live_options()
    parameters += [_option(name, kind) for name in heeded if name not in before]
    names = {"json": "as_json"}
    parameters += [click.Option([f"--{name}", names.get(name, name)], **settings)
                   for name, settings in ENDING.items()]  # fmt: skip
    parameters += recipe_flags(kind.recipe)
    completed(parameters)
    return parameters


def _heed_flags(kind: Kind, ctx: click.Context, _: click.Parameter, path: str | None) -> str | None:
    """Set defaults of flags from a TOML file, over those of the user."""
    if ctx.resilient_parsing:
        return path
    found = default_flags(kind, ctx.command.params)
    if path is not None and path.endswith(".toml"):
        found |= file_flags(kind, path, ctx.command.params)
    ctx.default_map = {**(ctx.default_map or {}), **found}
    return path


def _output(kind: Kind) -> str:
    if "[default" in kind.output:
        return kind.output
    return f"{kind.output} [default: {kind.subject.name.upper()}'s name with .nsh, here]"


def _option(name: str, kind: Kind) -> click.Option:
    settings = dict(OPTIONS[name])
    if name == "resume" and kind.name == "image":
        settings["help"] = "Checkpoint to continue, or a finished asset to train further."
    if name == "device" and "engine" in kind.takes:
        settings |= {"metavar": "NAME", "help": TORCH_DEVICE, "type": Text(("cpu", *APIS))}
    group = "running" if name in RUNNING else "watching"
    return GroupedOption([f"--{name.replace('_', '-')}", name], group=group, **settings)


def _own(flag: Flag) -> click.Option:
    name = flag.name.replace("-", "_")
    if not flag.form:
        return GroupedOption([f"--{flag.name}", name], group=flag.group, is_flag=True,
                             help=flag.about)  # fmt: skip
    return GroupedOption([f"--{flag.name}", name], group=flag.group, metavar=flag.form,
                         multiple=flag.several, default=flag.default,
                         help=flag.about)  # fmt: skip


def recipe_flags(recipe: type) -> list[click.Parameter]:
    """Return one flag per field of a recipe, shared ones last; unset flags are None.

    Steps and seconds come first among the ends: descriptions of others refer to them.
    """
    return [_flag(field) for field in sorted(fields_of(recipe), key=lambda f: f.name not in ENDS)]


def _flag(field: dataclasses.Field[Any]) -> click.Option:
    name, choices = field.name.replace("_", "-"), field.metadata["choices"]
    group = field.metadata["group"]
    about = field.metadata["about"]
    about = about[0].upper() + about[1:]
    if not all(re.search(rf"\b{re.escape(name)}\b", about) for name in choices):
        about += f" ({', '.join(choices)})"
    default = "none" if field.default is None else field.metadata["unset"] or field.default
    limits = field.metadata["limits"]
    span = f"{_range(*limits)}; " if limits else ""
    about += f". [{span}default: {str(default).lower()}]"
    if type_of(field) is bool:
        return GroupedOption([f"--{name}/--no-{name}", field.name], group=group, default=None,
                             help=about)  # fmt: skip
    form = field.metadata["form"] or {int: "N", float: "X", str: "NAME"}[type_of(field)]
    names = choices or COMPLETED.get(field.name, ())
    kind = Text(names) if names else type_of(field)
    return GroupedOption([f"--{name}", field.name], group=group, type=kind, metavar=form,
                         help=about)  # fmt: skip


def _range(low: float, high: float) -> str:
    return f"{low:g} or more" if high >= ENDLESS else f"{low:g} to {high:g}"


def recipe_settings(
    kind: Kind,
    preset: str | None,
    recipe_file: str | None,
    flags: Mapping[str, Any],
    defaults: Mapping[str, Any] | None = None,
) -> tuple[str | None, dict[str, Any]]:
    """Return preset and settings: flags override the file, which overrides defaults."""
    settings = {} if recipe_file is None else _read_recipe(kind, recipe_file)
    settings |= {name: value for name, value in flags.items() if value is not None}
    settings = under(defaults or {}, settings)
    if kind.presets:  # otherwise it is refused as an unknown setting
        found = settings.pop("preset", None)
        if not isinstance(found, (str, type(None))):
            place = recipe_file if recipe_file is not None else defaults_path()
            raise ConfigError(f"{place}: got preset={found!r}, need the name of a preset. "
                              f'Write for example preset = "{kind.presets[0]}".')  # fmt: skip
        preset = found if preset is None else preset
    return preset, settings


def _names(recipe: type) -> list[str]:
    return [field.name for field in fields_of(recipe)]


def _check_names(found: Iterable[str], known: Sequence[str], path: str, kind: Kind) -> None:
    """Raise ConfigError for an unknown name, with the nearest one instead of all."""
    for name in found:
        if name not in known:
            raise ConfigError(f"{path}: {named(name)}: unknown setting."
                              f"{did_you_mean(name, known)} See neuralshade fit {kind.name} --help "
                              "for all.")  # fmt: skip


def _read_recipe(kind: Kind, path: str) -> dict[str, Any]:
    suffix = Path(path).suffix
    if suffix in kind.recipe_files:
        found: dict[str, Any] = import_object(kind.recipe_files[suffix])(path)
        return found
    if suffix == ".toml":
        flags = flags_of(kind, parameters_of(kind))  # _heed_flags reads these
        found = {name: value for name, value in read_toml(path).items() if name not in flags}
        # here, since the name of a fit's own parameter would be passed twice
        known = [*flags, *(["preset"] if kind.presets else []), *_names(kind.recipe)]
        _check_names(found, known, path, kind)
        return found
    needed = " or ".join([".toml", *kind.recipe_files])
    raise ConfigError(f"{path}: got suffix {suffix!r}, need {needed}. Rename the recipe.")
