"""neuralshade fit mipmaps --share: mip levels of several sets, and their shared network."""

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
from neuralshade.base.argument_checks import check_output, check_path
from neuralshade.base.atomic import check_writable
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

# settings that trained texels depend on besides the maps: the network is valid only for these
TAUGHT = ("diffuse", "mirror", "mirror_far", "lowest")
PathLike = str | os.PathLike[str]
Source = PathLike | TextureSet | None
LOG = logging.getLogger("neuralshade")


@dataclass(frozen=True)
class FamilyResult:
    """Results of a family's fits, set by set, and the shared file."""

    share: str  # path
    trained: bool  # in this call; else an existing file was used
    taught_by: tuple[str, ...]  # names of the sets that the network was trained on
    left: dict[str, float]  # by set, the share of corrections that the network misses: 0 is none
    share_bytes: int
    seconds: float  # of the network's training
    sets: tuple[MipmapsResult, ...]

    @property
    def asset(self) -> str:
        """Return the path of the shared file."""
        return self.share

    def print(self) -> None:
        """Print the results, set by set."""
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
    """Train the mip levels of sets of one family, with a shared network.

    Without a file ``share``: train two sets or more, each by itself, and then a small network that
    predicts the trained corrections of box-filtered texels from statistics of their footprints.
    The network is saved as ``share``. With such a file: it is used and never written. Each set, one
    or more, starts from the network's corrections and is trained for a quarter of the default
    steps; with fewer steps, step sizes are smaller.

    Args:
        sources: one or several of what ``fit_mipmaps`` takes, of different names.
        share: the file of the network.
        output: for one set its folder; for several the parent folder of theirs, each named by
            the set with the suffix _mips. By default this folder.
        maps: single maps by name, for one set.
        normal_convention: opengl or directx, of all sets.
        formats: as of ``fit_mipmaps``.
        options: device, events, and tensorboard, with one folder for each of several sets; for
            one set also report. There is no resume.
        observer: called about ten times a second with the Progress of the current set.
        settings: fields of MipmapsRecipe. Those that the network depends on are stored with it.

    Raises: errors of ``fit_mipmaps``; AssetError for a ``share`` that is no such network;
        ConfigError for settings other than the network's, a single set to train on, or two sets of
        one name. FitInterrupted on Ctrl-C, SIGTERM or SIGHUP: finished sets are written, ``share``
        is not.
    """
    several: list[Any] = list(sources) if isinstance(sources, (list, tuple)) else [sources]
    check_path("share", share)
    check_output(output)
    several = several or [None]  # resolved like a single named set
    entries, forms = dict(maps or {}), checked_formats(formats)
    requests = [MapRequest(as_textures(one), entries, normal_convention, forms) for one in several]
    names = _checked(requests, Path(share), options)
    used = os.path.exists(share)
    place, count = Path(share), len(requests)
    family = _PriorUse(place, settings) if used else _PriorTraining(place, settings, count)
    folders = _folders(names, output)
    for name, folder in zip(names, folders, strict=True):
        check_distinct(levels=(folder or Path(f"{name}_mips")) / f"{name}.nsh", network=share)
    recipe = mipmaps_recipe(family.settings)
    for one, folder in zip(requests, folders, strict=True):
        # read again later: all sets at once may not fit into memory
        plan_set(one.textures(recipe.wrap, recipe.keep_hidden_color), forms, folder, recipe)
    if output is not None and len(names) > 1:
        make_folder(Path(output))
    LOG.info(family.origin)
    results = []
    logged = [_logged(options, name, len(names)) for name in names]
    for number, (one, folder) in enumerate(zip(requests, folders, strict=True), 1):
        LOG.info(f"{names[number - 1]}, set {number} of {len(requests)}")
        try:
            results.append(
                fit_set(one, folder, dict(family.settings), logged[number - 1], observer,
                        family.role)
            )  # fmt: skip
        except FitInterrupted as error:
            raise FitInterrupted(_rest(names[number:], share, used) + str(error)) from error
    return family.result(names, tuple(results))


def _checked(requests: Sequence[MapRequest], share: Path, options: FitOptions) -> list[str]:
    """Return the sets' names; raise errors that need no reading."""
    if options.resume is not None:
        raise ConfigError(f"resume: got {str(options.resume)!r} beside share, need one of the two. "
                          "Go on with that one set without --share.")  # fmt: skip
    if len(requests) > 1:
        if options.report is not None:
            raise ConfigError(f"report: got {str(options.report)!r} for {len(requests)} sets, need "
                              "one set. Write a page of each with neuralshade "
                              "report.")  # fmt: skip
        for name, value in requests[0].maps.items():
            if value is not None:
                raise ConfigError(f"{name}: got a single map for {len(requests)} sets, need sets "
                                  "that have their maps. Put it into a folder or a "
                                  "manifest.")  # fmt: skip
    names: dict[str, str] = {}
    for one in requests:
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


def _name_and_files(request: MapRequest) -> tuple[str, list[Path]]:
    if isinstance(request.source, TextureSet):
        return request.source.name, list(request.source.paths.values())
    found = find_maps(request.source, request.maps)
    return found.name, [p for f in found.files.values() if (p := f.on_disk) is not None]


def _folders(names: Sequence[str], output: PathLike | None) -> list[Path | None]:
    """Return the folder of each set; raise if their parent folder cannot be created."""
    if len(names) == 1:
        return [None if output is None else Path(output)]
    if output is None:
        return [None] * len(names)
    parent = Path(output)
    check_writable(parent / f"{names[0]}_mips.nsh" if os.path.exists(parent) else parent)
    return [parent / f"{name}_mips" for name in names]


def _logged(options: FitOptions, name: str, count: int) -> FitOptions:
    """Return the options of one set, with its own TensorBoard folder if there are several."""
    if options.tensorboard is None or count == 1:
        return options
    return dataclasses.replace(options, tensorboard=Path(options.tensorboard) / file_name(name))


def _rest(left: Sequence[str], share: PathLike, used: bool) -> str:
    """Return the prefix of an interruption's message: the other sets that are not finished."""
    unwritten = "" if used else f"{share} is not written, as it learns from all sets; "
    return unwritten + (f"not begun: {', '.join(left)}; " if left else "")


class _PriorTraining:
    """Training of a new network on the trained texels of several sets."""

    def __init__(self, share: Path, settings: dict[str, Any], count: int):
        if count < 2:
            raise ConfigError(f"{share}: got no such file and 1 set, need a family's file, or two "
                              "sets or more to train one from. Check the path.")  # fmt: skip
        check_writable(share)
        check_asset_place(share)
        self.share, self.settings = share, settings
        self.recipe = mipmaps_recipe(settings)
        self.role = PriorTrainer(seed=self.recipe.seed)
        self.origin = f"{share}: no such file yet: {count} sets train its network."

    def result(self, names: Sequence[str], sets: tuple[MipmapsResult, ...]) -> FamilyResult:
        """Train the network, and write it."""
        training, examples = self.role.training, self.role.examples
        LOG.info(f"{self.share}: {training.steps:,} steps of the network")
        begun = time.perf_counter()
        with Interruption() as interruption:

            def observe(share: float) -> None:
                if interruption.requested:
                    raise FitInterrupted(f"interrupted while the network of {self.share} was "
                                         "trained: the levels are written, it is "
                                         "not.")  # fmt: skip

            network = train_correction(examples, training, self.recipe.seed, observe)
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


class _PriorUse:
    """Use of an existing network: training starts from its corrections."""

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
        self.origin = (f"{share}: used unchanged, trained on {', '.join(self.names)}; training "
                       f"starts from its corrections and takes {end}. For a new network, name a "
                       "file that does not exist.")  # fmt: skip

    def result(self, names: Sequence[str], sets: tuple[MipmapsResult, ...]) -> FamilyResult:
        """Return the results; the file is unchanged."""
        asset = self.asset
        return FamilyResult(asset.path, False, self.names, asset.header.quality["left"],
                            asset.byte_count, asset.header.training["seconds"], sets)  # fmt: skip
