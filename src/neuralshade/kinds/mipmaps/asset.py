"""Asset of trained mip levels: rounded maps, and their files.

``maps`` in a header has ``name``, ``sizes`` (width and height of each level, level 0 first),
``notes`` on changes to the maps, ``kept``, the method of each level from 1 on, ``files`` and their
``formats``, ``normal_convention``, if it was set, and for sets with opacity ``opacity``, the method
of its levels. ``quality`` has the held-out error by kind of lights, method (JUDGED and others) and
level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import REMEDY, Asset, Header
from neuralshade.asset.rules import CURVE, SIDE, STEPS
from neuralshade.asset.schema import Form, ListOf, MapOf, Number, ObjectOf, Rule, Text
from neuralshade.asset.texture.texture_format import TextureFormat, find_format
from neuralshade.base.message_text import shown
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.kernels import levels_of
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import FILTERS, Maps
from neuralshade.source.color import linear_to_srgb, srgb_to_linear

if TYPE_CHECKING:
    from neuralshade.measure.plane.plane_view import PlaneView
    from neuralshade.source.texture_set import TextureSet

CURVE_POINTS = 100  # stored points of the training curve
OVER_BOX = "box"  # divisor of the curve's losses; older files have none
FORMATS = ("png", "exr", "dds", "dds-bc", "ktx2", "ktx2-bc")
CHANNELS = {"albedo": 3, "normal": 3, "roughness": 1, "metallic": 1, "opacity": 1}
MAPS = tuple(CHANNELS)
OPACITY = "opacity"  # only some sets have it
COVERAGE, MEANS = "coverage", "means"  # levels of opacity that keep coverage, or means
TEXEL = "texel of level 0"  # unit of bits, for all maps and levels together
PLAIN = {"albedo": "rgba8_srgb", "normal": "rgba8", "roughness": "r8", "metallic": "r8",
         "opacity": "r8"}  # fmt: skip
BLOCKS = {"albedo": "bc7_srgb", "normal": "bc5", "roughness": "bc4", "metallic": "bc4",
          "opacity": "bc4"}  # fmt: skip
FILTERED = (*FILTERS, "trained")  # unrounded
KEPT = "kept"  # the written chain, each level by its best method, in 8 bits
STORED = {name: f"stored_{name}" for name in FILTERS}  # rounded to 8 bits, like KEPT
JUDGED = (KEPT, *STORED.values())
ENVIRONMENT = "environment"  # a sun and a sky, added up
ERROR = Number(0, 1e30)
MAPS_RULE = ObjectOf(
    {"name": Text(), "sizes": ListOf(ListOf(SIDE, 2, 2), 1, 25), "notes": ListOf(Text(2**16)),
     "kept": ListOf(Text(64))},
    {"files": ListOf(Text()), "formats": ListOf(Text(choices=FORMATS)),
     "normal_convention": Text(choices=("opengl", "directx"), or_none=True),
     "opacity": Text(choices=(COVERAGE, MEANS))},
)  # fmt: skip
ERRORS = ListOf(ObjectOf({"symmetric": ERROR}))  # of a chain, a row for each level from 1 on
JUDGED_ERRORS = ListOf(
    ObjectOf(dict.fromkeys(("symmetric", "relative", "log", "color", "reference"), ERROR))
)
RULES: dict[str, Rule] = {
    "maps": MAPS_RULE,
    "training": ObjectOf({**STEPS, "curve": CURVE}, {"loss_over": Text(64)}),
    "quality": MapOf(ObjectOf({}, {**dict.fromkeys(FILTERED, ERRORS),
                                **dict.fromkeys(JUDGED, JUDGED_ERRORS)})),
}  # fmt: skip
Bytes = npt.NDArray[np.uint8]


class LevelsAsset(Protocol):
    """An opened asset of mip levels, for evaluation and reports."""

    @property
    def recipe(self) -> MipmapsRecipe: ...
    @property
    def header(self) -> Header: ...
    @property
    def path(self) -> str: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def maps(self) -> Mapping[str, Any]: ...
    @property
    def chain(self) -> list[Maps]: ...  # levels 0 and on as a shader reads them
    @property
    def weighted(self) -> bool: ...  # texels count by opacity
    @property
    def view(self) -> PlaneView: ...
    def same_textures(self, source: Any) -> TextureSet: ...


def map_names(has_opacity: bool) -> tuple[str, ...]:
    """Return the maps of a set with or without opacity."""
    return tuple(name for name in MAPS if name != OPACITY or has_opacity)


def memory_formats(maps: Mapping[str, Any]) -> Mapping[str, TextureFormat]:
    """Return each map's format in memory: blocks if such files were written, else plain.

    ``maps``: of a header; older assets without ``formats`` count as plain.
    """
    blocks = any(form.endswith("-bc") for form in maps.get("formats", ()))
    return {name: find_format(form) for name, form in (BLOCKS if blocks else PLAIN).items()}


def level_tensors(levels: Sequence[dict[str, Bytes]]) -> dict[str, Bytes]:
    """Return levels 0 and on as tensors: albedo_0, normal_0 and so on."""
    return {f"{name}_{i}": level[name] for i, level in enumerate(levels) for name in level}


def level_forms(asset: Asset) -> dict[str, Form]:
    """Return the forms of the tensors of all levels.

    Raises: AssetError if levels are no chain, or if the counts of kept methods and of errors
        differ from the levels'.
    """
    maps, place = asset.header.own["maps"], asset.path
    sizes = [(width, height) for width, height in maps["sizes"]]
    if tuple(sizes) != levels_of(*sizes[0], len(sizes) - 1).sizes:
        raise AssetError(f"{place}: got levels of {shown(maps['sizes'])} texels, need each half of "
                         f"the one before. {REMEDY}")  # fmt: skip
    counts = {"maps.kept": len(maps["kept"])}
    for light, errors in asset.header.quality.items():
        counts |= {f"quality.{light}.{name}": len(errors[name])
                   for name in (*FILTERED, *JUDGED) if name in errors}  # fmt: skip
    for name, count in counts.items():
        if count != len(sizes) - 1:
            raise AssetError(f"{place}: got {count} values for {shown(name)}, need "
                             f"{len(sizes) - 1}, one for each level below 0. {REMEDY}")  # fmt: skip
    return {f"{name}_{i}": ("uint8", (height, width, channels))
            for i, (width, height) in enumerate(sizes)
            for name, channels in CHANNELS.items()
            if name != OPACITY or OPACITY in maps}  # fmt: skip


def stored_levels(asset: Asset) -> list[dict[str, Bytes]]:
    """Return the stored levels, from 0 on."""
    maps = asset.header.own["maps"]
    names = map_names(OPACITY in maps)
    return [{name: asset.tensors[f"{name}_{i}"] for name in names}
            for i in range(len(maps["sizes"]))]  # fmt: skip


def stored_level(maps: Maps) -> dict[str, Bytes]:
    """Return one level rounded to 8 bits, uint8 [H, W, C]: albedo sRGB, normals (n + 1) / 2."""
    values: dict[str, npt.NDArray[Any]] = dict(maps.arrays())
    values["albedo"], values["normal"] = linear_to_srgb(maps.albedo), (maps.normal + 1) / 2
    return {name: _rounded(one.reshape(*one.shape[:2], -1)) for name, one in values.items()}


def decoded_level(level: dict[str, Bytes]) -> dict[str, npt.NDArray[np.float32]]:
    """Return a stored level as a shader reads it: linear albedo, normals of length 1."""
    values = {name: stored.astype(np.float32) / 255 for name, stored in level.items()}
    normal = 2 * values["normal"] - 1
    length = np.maximum(np.linalg.norm(normal, axis=2, keepdims=True), 1e-6)
    vectors = {"albedo": srgb_to_linear(values["albedo"]), "normal": normal / length}
    return {**vectors, **{name: one[..., 0] for name, one in values.items() if name not in vectors}}


def _rounded(values: npt.NDArray[Any]) -> Bytes:
    return np.rint(values.clip(0, 1) * 255).astype(np.uint8)


def write_chain(folder: Path, form: str, levels: Sequence[dict[str, Bytes]]) -> list[Path]:
    """Write the whole chain of each map into one file; return the files.

    ``form``: dds or ktx2, or with -bc for BC7, BC5 and BC4 in place of plain texels.

    Raises: OutputError; DeviceError if the package for blocks is missing.
    """
    from neuralshade.asset.texture.texture_files import save_chain  # loads the block encoders

    container, _, blocks = form.partition("-")
    written = []
    for name in levels[0]:
        texture = (BLOCKS if blocks else PLAIN)[name]
        written.append(folder / f"{name}.{container}")
        save_chain(written[-1], [level[name] for level in levels], texture)
    return written
