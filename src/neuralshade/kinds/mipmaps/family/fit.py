"""neuralshade fit mipmaps --share: mip levels of several sets, and the network that they share."""

from __future__ import annotations

import dataclasses
import logging
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralshade.asset.asset import Header, save_asset
from neuralshade.asset.texture.texture_files import file_name
from neuralshade.base.atomic import check_writable
from neuralshade.base.given import check_output, check_path
from neuralshade.base.interrupt import Interruption
from neuralshade.errors import ConfigError, FitInterrupted
from neuralshade.fitting.loop import Observer, ignore
from neuralshade.fitting.options import USUAL, FitOptions
from neuralshade.fitting.output_checks import check_asset_place, check_distinct, check_no_input
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.mipmaps.family import KIND
from neuralshade.kinds.mipmaps.family.opened import MISSED, OpenedFamily
from neuralshade.kinds.mipmaps.family.role import PriorTrainer, PriorUser
from neuralshade.kinds.mipmaps.family.training import (
    fine_tuning,
    missed_share,
    network_of,
    train_correction,
)
from neuralshade.kinds.mipmaps.files import USUAL_FORMATS, checked_formats, make_folder
from neuralshade.kinds.mipmaps.fit import fit_set
from neuralshade.kinds.mipmaps.map_request import MapRequest
from neuralshade.kinds.mipmaps.plan import plan_set
from neuralshade.kinds.mipmaps.recipe import mipmaps_recipe
from neuralshade.kinds.mipmaps.result import MipmapsResult
from neuralshade.source.map_files import find_maps
from neuralshade.source.texture_set import TextureSet, as_textures

# what trained texels depend on besides the maps: a network that learned one knows no other
TAUGHT = ("diffuse", "mirror", "mirror_far", "lowest")
PathLike = str | os.PathLike[str]
Source = PathLike | TextureSet | None
LOG = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class FamilyResult:
    """What fits of a family reached, set by set, and the file that they share."""

    share: str  # path
    trained: bool  # the network, in this call; else its file was there and was used
    taught_by: tuple[str, ...]  # names of the sets that it learned from
    left: dict[str, float]  # of them, the share of their corrections that it misses: 0 is none
    share_bytes: int
    seconds: float  # of the network's training
    sets: tuple[MipmapsResult, ...]

    @property
    def asset(self) -> str:
        """Return the path of the file that the sets share."""
        return self.share

    def print(self) -> None:
        """Print what was reached, set by set."""
        for one in self.sets:
            print(f"\n{one.asset}")
            one.print()
        taught = ", ".join(f"{name} {left:.2f}" for name, left in self.left.items())
        done = f"trained in {self.seconds:.1f} s" if self.trained else "used, and left as it was"
        print(f"\n{self.share}: {self.share_bytes:,} bytes, {done}")
        print(f"share of each set's corrections that it misses ({MISSED}): {taught}")


def fit_mipmaps_family(
    sources: Source | Sequence[Source],
    share: PathLike,
    output: PathLike | None = None,
    *,
    maps: Mapping[str, Any] | None = None,
    normal_convention: str | None = None,
    formats: Sequence[str] = USUAL_FORMATS,
    options: FitOptions = USUAL,
    observer: Observer = ignore,
    **settings: Any,
) -> FamilyResult:
    """Train the mip levels of sets that are of one family, with what they have in common.

    Where there is no file ``share``: train two sets or more, each by itself, and then a small
    network that makes the corrections that training made to box-filtered texels out of what a
    filter knows of their footprints. ``share`` holds it. Where there is such a file: it is used
    and never written. Each set, one or more, starts from the network's corrections and is trained
    for a quarter of the usual steps; for fewer than these, in smaller ones.

    Args:
        sources: one or several of what ``fit_mipmaps`` takes, of different names.
        share: the file of the network.
        output: of one set its folder; of several the folder in which each has one, named by the
            set with _mips behind. By default this folder.
        maps: single maps by name, for one set.
        normal_convention: opengl or directx, of all sets.
        formats: as of ``fit_mipmaps``.
        options: device, events, and tensorboard, where each of several sets has a folder of its
            name; of one set also report. There is no resume.
        observer: called about ten times a second with a Progress of the set that is trained.
        settings: fields of MipmapsRecipe. Those that the network learned are its own.

    Raises: what ``fit_mipmaps`` raises; AssetError for a ``share`` that is no such network;
        ConfigError for settings other than it was taught with, one set to learn from, or two of
        one name. FitInterrupted on Ctrl-C, SIGTERM or SIGHUP: sets before are written, ``share``
        is not.
    """
    given: list[Any] = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    check_path("share", share)
    check_output(output)
    given = given or [None]  # which is told as it is where one set is named
    entries, forms = dict(maps or {}), checked_formats(formats)
    asked = [MapRequest(as_textures(one), entries, normal_convention, forms) for one in given]
    names = _checked(asked, Path(share), options)
    used = os.path.exists(share)
    family = _Used(Path(share), settings) if used else _Trained(Path(share), settings, len(asked))
    folders = _folders(names, output)
    for name, folder in zip(names, folders, strict=True):
        check_distinct(levels=(folder or Path(f"{name}_mips")) / f"{name}.nsh", network=share)
    recipe = mipmaps_recipe(family.settings)
    for one, folder in zip(asked, folders, strict=True):
        # read again when its turn comes: sets may be too large to be held all at once
        plan_set(one.textures(recipe.wrap, recipe.keep_hidden_color), forms, folder, recipe)
    if output is not None and len(names) > 1:
        make_folder(Path(output))
    LOG.info(family.told)
    results = []
    logged = [_logged(options, name, len(names)) for name in names]
    for number, (one, folder) in enumerate(zip(asked, folders, strict=True), 1):
        LOG.info(f"{names[number - 1]}, set {number} of {len(asked)}")
        try:
            results.append(
                fit_set(one, folder, dict(family.settings), logged[number - 1], observer,
                        family.role)
            )  # fmt: skip
        except FitInterrupted as error:
            raise FitInterrupted(_rest(names[number:], share, used) + str(error)) from error
    return family.result(names, tuple(results))


def _checked(asked: Sequence[MapRequest], share: Path, options: FitOptions) -> list[str]:
    """Return the sets' names; raise what can be told before anything is read."""
    if options.resume is not None:
        raise ConfigError(f"resume: got {str(options.resume)!r} beside share, need one of the two. "
                          "Go on with that one set without --share.")  # fmt: skip
    if len(asked) > 1:
        if options.report is not None:
            raise ConfigError(f"report: got {str(options.report)!r} for {len(asked)} sets, need "
                              "one set. Write a page of each with neuralshade "
                              "report.")  # fmt: skip
        for name, value in asked[0].maps.items():
            if value is not None:
                raise ConfigError(f"{name}: got a single map for {len(asked)} sets, need sets "
                                  "that have their maps. Put it into a folder or a "
                                  "manifest.")  # fmt: skip
    names: dict[str, str] = {}
    for one in asked:
        name, paths = _name_and_files(one)
        for path in paths:
            check_no_input(share, path)
        place, folder = one.place or name, file_name(name)
        if folder in names:
            raise ConfigError(f"{place}: got a set named {name} like {names[folder]}, need another "
                              "name, as its levels go by that. Rename it, or fit it by "
                              "itself.")  # fmt: skip
        names[folder] = place
    return list(names)


def _name_and_files(asked: MapRequest) -> tuple[str, list[Path]]:
    if isinstance(asked.source, TextureSet):
        return asked.source.name, list(asked.source.paths.values())
    found = find_maps(asked.source, asked.maps)
    return found.name, [p for f in found.files.values() if (p := f.on_disk) is not None]


def _folders(names: Sequence[str], output: PathLike | None) -> list[Path | None]:
    """Return the folder of each set; raise where the one that holds several cannot be had."""
    if len(names) == 1:
        return [None if output is None else Path(output)]
    if output is None:
        return [None] * len(names)
    parent = Path(output)
    check_writable(parent / f"{names[0]}_mips.nsh" if os.path.exists(parent) else parent)
    return [parent / f"{name}_mips" for name in names]


def _logged(options: FitOptions, name: str, count: int) -> FitOptions:
    """Return the options of one set: of several, each has a TensorBoard folder of its own."""
    if options.tensorboard is None or count == 1:
        return options
    return dataclasses.replace(options, tensorboard=Path(options.tensorboard) / file_name(name))


def _rest(left: Sequence[str], share: PathLike, used: bool) -> str:
    """Return what an interruption leaves undone besides the set it came in, to stand before it."""
    told = "" if used else f"{share} is not written, as it learns from all sets; "
    return told + (f"not begun: {', '.join(left)}; " if left else "")


class _Trained:
    """A network that is trained on what texels of several sets became."""

    def __init__(self, share: Path, settings: dict[str, Any], count: int):
        if count < 2:
            raise ConfigError(f"{share}: got no such file and 1 set, need a family's file, or two "
                              "sets or more to train one from. Check the path.")  # fmt: skip
        check_writable(share)
        check_asset_place(share)
        self.share, self.settings = share, settings
        self.recipe = mipmaps_recipe(settings)
        self.role = PriorTrainer(seed=self.recipe.seed)
        self.told = f"{share}: no such file yet: {count} sets train its network."

    def result(self, names: Sequence[str], sets: tuple[MipmapsResult, ...]) -> FamilyResult:
        """Train the network, and write it."""
        training, examples = self.role.training, self.role.examples
        LOG.info(f"{self.share}: {training.steps:,} steps of the network")
        begun = time.perf_counter()
        with Interruption() as interruption:

            def look(share: float) -> None:
                if interruption.requested:
                    raise FitInterrupted(f"interrupted while the network of {self.share} was "
                                         "trained: the levels are written, it is "
                                         "not.")  # fmt: skip

            network = train_correction(examples, training, self.recipe.seed, look)
        seconds = time.perf_counter() - begun
        left = {name: missed_share(network, one) for name, one in zip(names, examples, strict=True)}
        facts = [{"name": n, **size} for n, size in zip(names, self.role.sets, strict=True)]
        header = Header(
            to_dict(self.recipe), {"steps": training.steps, "seconds": round(seconds, 3)},
            {"left": left},
            own={"family": {"sets": facts, "network": dataclasses.asdict(training)}},
        )  # fmt: skip
        tensors = {name: value.numpy() for name, value in network.state_dict().items()}
        size = save_asset(self.share, KIND.name, header, tensors)
        return FamilyResult(str(self.share), True, tuple(names), left, size, seconds, sets)


class _Used:
    """A network that is there, from whose corrections texels are trained on."""

    def __init__(self, share: Path, settings: dict[str, Any]):
        self.asset = OpenedFamily.read(share)
        kept = to_dict(self.asset.recipe)
        for name in TAUGHT:
            if settings.get(name, kept[name]) != kept[name]:
                raise ConfigError(f"{share}: got {name}={settings[name]!r}, need {kept[name]!r} as "
                                  f"its sets were trained with. Leave "
                                  f"--{name.replace('_', '-')} out.")  # fmt: skip
        self.settings = fine_tuning({**settings, **{name: kept[name] for name in TAUGHT}})
        recipe = mipmaps_recipe(self.settings)
        self.names = tuple(one["name"] for one in self.asset.family["sets"])
        note = f"started from {share}, which learned from {', '.join(self.names)}."
        network = network_of(self.asset.tensors, self.asset.family["network"], share)
        self.role = PriorUser(network, note)
        end = f"{recipe.steps:,} steps" if recipe.seconds is None else f"{recipe.seconds:g} s"
        self.told = (f"{share}: used as it is, taught by {', '.join(self.names)}; training goes "
                     f"on from its corrections for {end}. For a new network, name a file that "
                     "is not there.")  # fmt: skip

    def result(self, names: Sequence[str], sets: tuple[MipmapsResult, ...]) -> FamilyResult:
        """Return what was reached; the file stays as it is."""
        asset = self.asset
        return FamilyResult(asset.path, False, self.names, asset.header.quality["left"],
                            asset.byte_count, asset.header.training["seconds"], sets)  # fmt: skip
