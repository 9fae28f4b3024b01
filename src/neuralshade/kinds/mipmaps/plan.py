"""What a fit of mip levels reads and writes, looked at before anything is trained."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralshade.asset.file import read_asset_file
from neuralshade.asset.texture.texture_files import file_name, level_files
from neuralshade.base.given import check_output
from neuralshade.errors import AssetError, OutputError
from neuralshade.kinds.mipmaps import KIND
from neuralshade.kinds.mipmaps.asset import COVERAGE, MAPS, MEANS, map_names
from neuralshade.kinds.mipmaps.build import chain_levels
from neuralshade.kinds.mipmaps.files import check_folder, planned_files
from neuralshade.kinds.mipmaps.kernels import LevelSizes
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.source.material_mips import ALPHA_TEST, is_cutout
from neuralshade.source.texture_set import TextureSet

PATHS_SHOWN = 4  # of files that are told in one line


@dataclass(frozen=True)
class Plan:
    """The files that the levels of a set go into, and what lies there already."""

    textures: TextureSet
    levels: LevelSizes
    target: Path  # the asset
    files: tuple[Path, ...]  # of the chains
    outdated: tuple[Path, ...]  # that an asset of that name wrote before, and that will be no more
    strange: tuple[Path, ...]  # that are called as levels are, and are nobody's
    weighted: bool = True  # texels count by opacity, where there is one

    def check(self) -> None:
        """Raise OutputError unless all files can be written."""
        files = [self.target, *self.files]
        check_folder(self.target.parent, files, self.textures.paths.values())

    def notes(self) -> tuple[str, ...]:
        """Return what to say of maps that no level is made of and of opacity, with the asset."""
        if self.textures.ao is None:
            return self._opacity_notes()
        path = self.textures.paths.get("ao")
        read = "ao: not used" if path is None else f"ao: read from {path.name}, not used"
        return (f"{read}: levels are shaded without ambient occlusion.", *self._opacity_notes())

    @property
    def opacity(self) -> str | None:
        """Return what the levels of opacity are, as a header has it; None where there is none."""
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
        """Remove what is outdated; return what to tell of that and of files that stay."""
        removed = [path for path in self.outdated if _removed(path)]
        left = [path for path in (*self.outdated, *self.strange) if os.path.exists(path)]
        told = {"removed, as no part of these levels": removed,
                "left as they were, no part of these levels": left}  # fmt: skip
        return tuple(f"{what}: {_listed(paths)}." for what, paths in told.items() if paths)


def plan_set(
    textures: TextureSet,
    formats: Iterable[str],
    output: str | os.PathLike[str] | None,
    recipe: MipmapsRecipe,
) -> Plan:
    """Return what a fit of ``textures`` will write into the folder ``output``.

    Raises: ConfigError for maps that nothing lies below; OutputError where files would be
        written over that the asset of another set has beside it.
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
    """Raise OutputError where one of ``taken``, to be written over, is another asset's."""
    for asset in _assets_beside(target) if taken else ():
        owned = _written_by(asset, taken)
        for path in taken:
            if path.name in owned:
                raise OutputError(f"{path}: got a file of another set, whose asset is {asset}, "
                                  f"need a folder without it for {target.name}. Choose another "
                                  "one by -o.")  # fmt: skip


def _assets_beside(target: Path) -> list[Path]:
    """Return the other files of the folder that end as assets do, but for hidden ones.

    Such as a killed fit left half-written.
    """
    if not os.path.isdir(target.parent):
        return []
    found = (path for path in target.parent.glob("*.nsh") if not path.name.startswith("."))
    return sorted(path for path in found if path.name != target.name)


def _written_by(asset: Path, unsaid: Sequence[Path]) -> set[str]:
    """Return the names of the files that mip levels were written to; none for other assets.

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
    """Remove a file; return False where that is refused, which is no reason to lose a fit."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _among(path: Path, inputs: Sequence[Path]) -> bool:
    return any(os.path.samefile(path, given) for given in inputs)


def _listed(paths: Sequence[Path]) -> str:
    """Return the paths in one line, not too long: levels are many."""
    more = f" and {len(paths) - PATHS_SHOWN} more" if len(paths) > PATHS_SHOWN else ""
    return ", ".join(str(path) for path in paths[:PATHS_SHOWN]) + more
