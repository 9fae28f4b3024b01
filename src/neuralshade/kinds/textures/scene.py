"""Live-page scene of a texture set: maps and a lit sphere, decoded beside the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.fitting.scene import REFERENCE, Light, Scene, View
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.channels import TEXEL, MapCoding
from neuralshade.kinds.textures.engine import Integers, texels_under
from neuralshade.kinds.textures.lit_sphere import LitPane, TexelSource
from neuralshade.kinds.textures.reference import TexturesAsset, reference_set
from neuralshade.kinds.textures.texel_sources import DecodedTexels, ReferenceTexels
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import map_psnr_db
from neuralshade.measure.plane.lit_sphere import lights
from neuralshade.measure.plane.sphere_view import usual_light
from neuralshade.model.field import Field
from neuralshade.source.cutout import OPACITY
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
MAP = "map:"  # prefix of a map's name, which might equal a page's own names
LIT, SPHERE = "lit", "lit sphere"  # the pane, and its title
CHANNELS = 3  # of every pane, which the page needs to show them side by side


def opened_scene(opened: TexturesAsset, reference: Any = None) -> Scene:
    """Return the scene of an asset's maps at any mip and a sphere, beside the reference if any.

    Args:
        opened: the asset.
        reference: a folder, a manifest, files of maps or a MaterialSet: the maps of the fit.

    Raises: AssetError for other maps; what ``load_material_set`` raises.
    """
    loaded = None if reference is None else reference_set(opened, reference)
    decoder = DecodedTexels(lambda: opened.field, opened.sizes, lambda: 0)
    return _scene(str(opened.textures["name"]), opened.sizes, opened.codings, loaded, decoder,
                  changes=False)  # fmt: skip


def fit_scene(
    textures: MaterialSet, codings: Sequence[MapCoding], sizes: Sequence[tuple[int, int]],
    field: Callable[[], Field], step: Callable[[], int],
) -> Scene:  # fmt: skip
    """Return the scene of a fit in progress: its maps and a sphere, beside the target.

    Args:
        textures: the maps of the fit.
        codings: of each map.
        sizes: width and height of every mip.
        field: returns the current field, with rounded latents.
        step: returns the number of steps so far: ``field`` is called once for each.
    """
    return _scene(textures.name, sizes, codings, textures, DecodedTexels(field, sizes, step),
                  changes=True)  # fmt: skip


def visible_texels(width: int, height: int, view: View) -> Integers:
    """Return the indices of texels under a view's pixels, row by row: [height, width]."""
    rows, cols = texels_under((width, height), view.width, view.height, view.region)
    return rows[:, None] * width + cols


def _scene(
    name: str, sizes: Sequence[tuple[int, int]], codings: Sequence[MapCoding],
    reference: MaterialSet | None, decoded: DecodedTexels, *, changes: bool,
) -> Scene:  # fmt: skip
    by_pane = {MAP + coding.name: coding for coding in codings}
    maps: dict[str, TexelSource] = {"": decoded}
    if reference is not None:
        maps[REFERENCE] = ReferenceTexels(reference, len(sizes))
    steps = {"": decoded.step, REFERENCE: lambda: 0}
    spheres = {
        before + LIT: LitPane(texels, steps[before], codings, sizes)
        for before, texels in maps.items()
        if lights({coding.name for coding in codings})
    }

    def draw(pane: str, view: View) -> Floats:
        if pane in spheres:
            return spheres[pane](view)
        level = min(view.level, len(sizes) - 1)
        before = REFERENCE if pane.startswith(REFERENCE) else ""
        index = visible_texels(*sizes[level], view)
        return _shown(maps[before].coded(by_pane[pane.removeprefix(REFERENCE)], level, index))

    weighed = reference is not None and reference.original is not None
    found = (coding for coding in codings if coding.name == OPACITY and coding.count)
    opacity = next(found, None) if weighed else None

    def psnr(pane: str, target: Floats, result: Floats) -> float:
        """Of the whole of mip 0: texels count as ``map_psnr`` has it."""
        coding = by_pane[pane]
        sides = to_uint8(target[..., : coding.channels]), to_uint8(result[..., : coding.channels])
        if opacity is None or coding is opacity:
            return map_psnr_db(*sides)
        height, width = target.shape[:2]
        index = visible_texels(*sizes[0], View(0, 0, width=width, height=height))
        weights = to_uint8(maps[REFERENCE].coded(opacity, 0, index))[..., 0] / np.float32(255)
        return map_psnr_db(*sides, weights)

    names = {pane: coding.name for pane, coding in by_pane.items()}
    names |= {pane: SPHERE for pane in spheres if not pane.startswith(REFERENCE)}
    light = Light(*usual_light(), tuple(spheres), "eye") if spheres else None
    varying = [pane for pane, coding in by_pane.items() if coding.count]
    changing = (*varying, *([LIT] if spheres else [])) if changes else ()
    channels = {
        before + pane: coding.channels for before in maps for pane, coding in by_pane.items()
    }
    return Scene(KIND.name, name, *sizes[0], CHANNELS, False, False, False,
                 _titles(names, reference is not None), draw, changing, decoded.pages(),
                 light=light, levels=tuple(sizes), bits_of=TEXEL, psnr=psnr,
                 own_channels=channels,
                 stored=tuple(REFERENCE + pane for pane in by_pane) if reference else (),
                 radiance=lambda pane, view: spheres[pane].radiance(view))  # fmt: skip


def _titles(names: Mapping[str, str], compared: bool) -> Mapping[str, str]:
    """Return the panes' titles, decoded ones first."""
    if not compared:
        return names
    titles = {pane: f"{name} as decoded" for pane, name in names.items()}
    return titles | {REFERENCE + pane: f"{name} reference" for pane, name in names.items()}


def _shown(coded: Floats) -> Floats:
    """Return one, two or three channels in [0, 1] as three: grey, or red and green."""
    if coded.shape[2] == 1:
        return np.repeat(coded, CHANNELS, axis=2)
    return np.pad(coded, ((0, 0), (0, 0), (0, CHANNELS - coded.shape[2])))
