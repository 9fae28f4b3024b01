"""Output plan of a mip levels' fit, checked before training."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralshade.asset.file import read_asset_file
from neuralshade.asset.texture.texture_files import file_name, level_files
from neuralshade.base.argument_checks import check_output
from neuralshade.errors import AssetError, OutputError
from neuralshade.kinds.mipmaps import KIND
from neuralshade.kinds.mipmaps.asset import COVERAGE, MAPS, MEANS, map_names
from neuralshade.kinds.mipmaps.build import chain_levels
from neuralshade.kinds.mipmaps.files import check_folder, planned_files
from neuralshade.kinds.mipmaps.kernels import LevelSizes
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.source.material_mips import ALPHA_TEST, is_cutout
from neuralshade.source.texture_set import TextureSet

PATHS_SHOWN = 4  # files listed in one line


@dataclass(frozen=True)
class Plan:
    """Output files of a set's levels, and files that exist already."""

    textures: TextureSet
    levels: LevelSizes
    target: Path  # the asset
    files: tuple[Path, ...]  # of the chains
    outdated: tuple[Path, ...]  # files of an earlier asset, not to be written again
    strange: tuple[Path, ...]  # files with names of levels that no asset lists
    weighted: bool = True  # texels count by opacity, if there is one

    def check(self) -> None:
        """Raise OutputError unless all files can be written."""
        files = [self.target, *self.files]
        check_folder(self.target.parent, files, self.textures.paths.values())

    def notes(self) -> tuple[str, ...]:
        """Return notes on unused maps and on opacity, for the asset."""
        if self.textures.ao is None:
            return self._opacity_notes()
        path = self.textures.paths.get("ao")
        read = "ao: not used" if path is None else f"ao: read from {path.name}, not used"
        return (f"{read}: levels are shaded without ambient occlusion.", *self._opacity_notes())

    @property
    def opacity(self) -> str | None:
        """Return a header's method of opacity levels; None without opacity."""
        if self.textures.opacity is None:
            return None
        return COVERAGE if self.weighted and is_cutout(self.textures.opacity) else MEANS

    def _opacity_notes(self) -> tuple[str, ...]:
        if self.textures.opacity is None:
            return ()
        if not self.weighted:
            return ("opacity: --keep-hidden-color: texels count alike, its levels are means.",)
        share = float((self.textures.opacity >= ALPHA_TEST).mean())
        levels = f"keep the share that an alpha test at {ALPHA_TEST:g} passes, {share:.3g}"
        if self.opacity == MEANS:
            levels = "are means: most of its texels are neither 0 nor 1"
        return (f"opacity: texels of all other maps count by it; its levels {levels}.",)

    def clear(self) -> tuple[str, ...]:
        """Remove outdated files; return notes on these and on files that stay."""
        removed = [path for path in self.outdated if _removed(path)]
        left = [path for path in (*self.outdated, *self.strange) if os.path.exists(path)]
        files = {"removed, as no part of these levels": removed,
                "left as they were, no part of these levels": left}  # fmt: skip
        return tuple(f"{what}: {_listed(paths)}." for what, paths in files.items() if paths)


def plan_set(
    textures: TextureSet,
    formats: Iterable[str],
    output: str | os.PathLike[str] | None,
    recipe: MipmapsRecipe,
) -> Plan:
    """Plan the output of a fit of ``textures`` into the folder ``output``.

    Raises: ConfigError for maps without lower levels; OutputError if files of another set's asset
        would be overwritten.
    """
    check_output(output)
    if output is not None and Path(output).suffix == ".nsh" and not os.path.isdir(output):
        folder = Path(output).with_suffix("")
        raise OutputError(f"{output}: got the name of an asset, need that of a folder, which gets "
                          f"it and the files of its levels. Write -o {folder}.")  # fmt: skip
    levels = chain_levels(textures, recipe)
    name = file_name(textures.name)
    folder = Path(f"{name}_mips" if output is None else output)
    target = folder / f"{name}.nsh"
    names = map_names(textures.opacity is not None)
    files = tuple(planned_files(folder, formats, names, len(levels.sizes)))
    there = level_files(folder, MAPS)
    planned, owned = {path.name for path in files}, _written_by(target, [])
    _check_others(target, [path for path in there if path.name in planned])
    inputs = [path for path in textures.paths.values() if os.path.exists(path)]
    others = [path for path in there if path.name not in planned and not _among(path, inputs)]
    outdated = tuple(path for path in others if path.name in owned)
    nobodys = set(others) - set(outdated)
    for asset in _assets_beside(target):
        nobodys = {path for path in nobodys if path.name not in _written_by(asset, there)}
    weighted = not recipe.keep_hidden_color
    return Plan(textures, levels, target, files, outdated, tuple(sorted(nobodys)), weighted)


def _check_others(target: Path, taken: Sequence[Path]) -> None:
    """Raise OutputError if one of ``taken`` would overwrite another asset's file."""
    for asset in _assets_beside(target) if taken else ():
        owned = _written_by(asset, taken)
        for path in taken:
            if path.name in owned:
                raise OutputError(f"{path}: got a file of another set, whose asset is {asset}, "
                                  f"need a folder without it for {target.name}. Choose another "
                                  "one by -o.")  # fmt: skip


def _assets_beside(target: Path) -> list[Path]:
    """Return other assets in the folder, by suffix, without hidden files.

    Hidden files may be half-written ones of a killed fit.
    """
    if not os.path.isdir(target.parent):
        return []
    found = (path for path in target.parent.glob("*.nsh") if not path.name.startswith("."))
    return sorted(path for path in found if path.name != target.name)


def _written_by(asset: Path, unsaid: Sequence[Path]) -> set[str]:
    """Return the names of an asset's level files; empty for other kinds.

    ``unsaid``: those of an asset that does not list them.
    """
    try:
        header = read_asset_file(asset, KIND.name).header
    except AssetError:
        return set()
    maps = header.get("maps")
    listed = maps.get("files") if isinstance(maps, dict) else None
    if isinstance(listed, list):
        return {name for name in listed if isinstance(name, str)}
    return {path.name for path in unsaid}


def _removed(path: Path) -> bool:
    """Remove a file; return False if that fails, which must not lose a fit."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _among(path: Path, inputs: Sequence[Path]) -> bool:
    return any(os.path.samefile(path, source) for source in inputs)


def _listed(paths: Sequence[Path]) -> str:
    """Return the paths in one line, shortened, since there are many levels."""
    more = f" and {len(paths) - PATHS_SHOWN} more" if len(paths) > PATHS_SHOWN else ""
    return ", ".join(str(path) for path in paths[:PATHS_SHOWN]) + more
