"""Suggestions for misspelled words of the command line."""

from __future__ import annotations

import difflib
import itertools
import os
import re
import shlex
from collections.abc import Sequence

import click

from neuralshade.base.did_you_mean import one_apart

NO_VALUE = ("Got unexpected extra argument", "Option '--live' does not take a value")
SHORTEST_BEGINNING = 3  # letters that identify a flag by its beginning
NOT_A_NUMBER = re.compile(r"(?<=: )(.+) is not a valid (float|integer)\.$")
PAGE = ".html"  # suffix of a report
NEAR = 0.75  # difflib's ratio: quality and quiet, preset and resume have 0.67
# flags of other tools; suggested where the command has the flag on the right
ELSEWHERE = {
    "batch-size": "batch",
    "bitrate": "bpp",
    "cpu": "engine",
    "difference": "show",
    "epochs": "steps",
    "gpu": "engine",
    "height": "size",
    "iterations": "steps",
    "iters": "steps",
    "learning-rate": "rate",
    "lr": "rate",
    "out": "output",
    "quality": "preset",
    "resolution": "size",
    "teacher": "reference",
    "time": "seconds",
    "timeout": "seconds",
    "verbose": "events",
    "width": "size",
}
VERBS_ELSEWHERE = {  # including the kinds of fit
    "compare": "evaluate",
    "draw": "render",
    "gaussians": "splats",
    "inspect": "info",
    "maps": "textures",
    "mips": "mipmaps",
    "pbr": "textures",
    "photo": "image",
    "picture": "image",
    "show": "view",
    "slang": "shader",
    "train": "fit",
}
# verbs by file suffix; others are pictures
VERBS_OF_FILES = {
    ".mtlx": "fit material",
    ".nsh": "view",
    ".slang": "fit shader",
    ".toml": "fit material",
}


def misuse(error: click.UsageError, arguments: Sequence[str]) -> str:
    """Return the message for a misuse: the error, a suggestion, and where to look."""
    message = error.format_message()
    if isinstance(error, click.NoSuchOption):
        message = _no_such_option(error, arguments)
    elif isinstance(error, click.MissingParameter):
        message += _behind_input(error, arguments)
    elif message.startswith(NO_VALUE):
        message = message.rstrip(".")
        message += _meant_port(arguments) or _meant_output(error, message, arguments)
    elif message.startswith("No such command"):
        message += _meant_verb(error, arguments) or _near_verb(error, message)
    message = NOT_A_NUMBER.sub(_need_number, message)
    where = f" See {error.ctx.command_path} --help." if error.ctx else ""
    return message + where


def _need_number(found: re.Match[str]) -> str:
    whole = "whole " if found[2] == "integer" else ""
    return f"got {found[1]}, need a {whole}number."


def context_of(root: click.Group, arguments: Sequence[str]) -> click.Context:
    """Return a context of the command that ``arguments`` name, as far as they do."""
    ctx = click.Context(root, info_name="neuralshade")
    for word in arguments:
        group = ctx.command
        command = group.get_command(ctx, word) if isinstance(group, click.Group) else None
        if command is None:
            break
        ctx = click.Context(command, parent=ctx, info_name=word)
    return ctx


def _no_such_option(error: click.NoSuchOption, arguments: Sequence[str]) -> str:
    message = f"No such option '{error.option_name}'."
    for word in arguments:
        if word.startswith(error.option_name) and os.path.isfile(word):
            return f"{message} For the file, write ./{word}."
    known = [] if error.ctx is None else flags_of(error.ctx)
    near = near_flags(error.option_name, known)
    return f"{message} Did you mean {' or '.join(near)}?" if near else message


def flags_of(ctx: click.Context) -> list[str]:
    """Return the visible flags of the command of ``ctx``."""
    return [name for parameter in ctx.command.get_params(ctx)
            if isinstance(parameter, click.Option) and not parameter.hidden
            for name in (*parameter.opts, *parameter.secondary_opts)]  # fmt: skip


def near_flags(typed: str, known: Sequence[str]) -> list[str]:
    """Return the flags nearest to ``typed``, three at most.

    In order: its name here, flags with all of its words or whose words it has, flags with the same
    beginning, and the one with similar letters; nothing for single letters.
    """
    if not typed.startswith("--"):
        return []
    word = typed.lstrip("-").replace("_", "-").casefold()
    here = f"--{ELSEWHERE.get(word, word)}"
    if here in known:
        return [here]
    words = set(word.split("-"))
    names = [flag for flag in known if flag.startswith("--") and not flag.startswith("--no-")]
    parts = {flag: set(flag[2:].split("-")) for flag in names}
    shared = [flag for flag in names if words <= parts[flag] or parts[flag] <= words]
    bare = [flag[2:] for flag in names]  # all flags begin alike, which is no likeness
    long_enough = len(word) >= SHORTEST_BEGINNING
    begun = [n for n in bare if long_enough and n.startswith(word)]
    begun = begun or [n for n in bare if long_enough and one_apart(word, n)]
    near = begun or difflib.get_close_matches(word, bare, n=1, cutoff=NEAR)
    return (shared or [f"--{name}" for name in near])[:3]


def _meant_port(arguments: Sequence[str]) -> str:
    """Return the advice for a port that was passed to --live; empty without one."""
    behind = [word for flag, word in itertools.pairwise(arguments)
              if flag == "--live" and word.isdecimal()]  # fmt: skip
    behind += [word.partition("=")[2] for word in arguments if word.startswith("--live=")]
    if not behind:
        return ""
    port = behind[0] if behind[0].isdecimal() else "8420"
    return f". --live takes none: write --live --port {port}."


def check_no_page(picture: str) -> None:
    """Raise UsageError where a report's page takes the place of its reference."""
    if picture.endswith(PAGE):
        raise click.UsageError(f"{picture}: got a page for PICTURE, need what ASSET was fitted to."
                               f"{_written(picture)}")  # fmt: skip


def check_no_output(sources: object, output_form: str) -> None:
    """Raise UsageError where the output stands last among several sources.

    ``output_form``: placeholder of the missing flag, DIR where a folder is written.
    """
    last = sources[-1] if isinstance(sources, tuple) and len(sources) > 1 else ""
    if output_form != "DIR" and last.endswith(".nsh"):
        got = "the name of an asset"
    elif last and not os.path.splitext(last)[1] and not os.path.exists(last):
        got = "no such file or folder"
    else:
        return
    raise click.UsageError(f"{last}: got {got}, need a source.{_written(last)}")


def _behind_input(error: click.MissingParameter, arguments: Sequence[str]) -> str:
    """Return the flag for a word after the input, where the output is missing; otherwise empty."""
    ctx = error.ctx
    if ctx is None or error.param is None or "--output" not in error.param.opts:
        return ""
    words = list(arguments)
    words = words[words.index(str(ctx.info_name)) + 1 :]
    extra = ctx.command.make_parser(ctx).parse_args(words)[1]
    return f" To write to {extra[0]}, give -o {shlex.quote(extra[0])}." if extra else ""


def _meant_output(error: click.UsageError, message: str, arguments: Sequence[str]) -> str:
    """Return the flag for an asset's or a page's name after the input; otherwise empty."""
    extra = message.partition("extra argument (")[2].removesuffix(")")
    known = [] if error.ctx is None else flags_of(error.ctx)
    written = PAGE if error.ctx is not None and error.ctx.info_name == "report" else ".nsh"
    if not extra.endswith(written) or "--output" not in known or {"-o", "--output"} & {*arguments}:
        return ""
    return f".{_written(extra)}"


def _written(name: str) -> str:
    return f" To have that written, give -o {shlex.quote(name)}."


def _near_verb(error: click.UsageError, message: str) -> str:
    """Return a verb's name here, or else the nearest one.

    Empty where click has a suggestion; it has none for a lazy group.
    """
    ctx = error.ctx
    if ctx is None or not isinstance(ctx.command, click.Group) or "Did you mean" in message:
        return ""
    typed = message.removeprefix("No such command ").strip("'\".")
    known = ctx.command.list_commands(ctx)
    here = VERBS_ELSEWHERE.get(typed)
    near = [here] if here in known else difflib.get_close_matches(typed, known, n=1)
    return f" Did you mean '{near[0]}'?" if near else ""


def _meant_verb(error: click.UsageError, arguments: Sequence[str]) -> str:
    """Return the suggestion for a file in the place of a verb or a kind; otherwise empty.

    A word with a suffix counts as a missing file, as no verb has one.
    """
    words = [word for word in arguments if not word.startswith("-")]
    fits = error.ctx is not None and error.ctx.info_name == "fit"
    path = next(iter(words[1:] if fits else words), "")
    ending = os.path.splitext(path)[1]
    if not (ending[1:2].isalpha() or os.path.isfile(path)):
        return ""
    return f" For the file, write neuralshade {VERBS_OF_FILES.get(ending, 'fit image')} {path}."
