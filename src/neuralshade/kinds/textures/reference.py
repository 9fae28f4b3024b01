"""Reference maps of an asset: found again, checked, and compared."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import Header
from neuralshade.base.message_text import named, plain_name
from neuralshade.errors import AssetError, NeuralShadeError
from neuralshade.fitting.resuming import Source
from neuralshade.kinds.textures.channels import MapCoding
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import Bytes, with_z
from neuralshade.measure.texture_rivals import ByteMaps
from neuralshade.model.field import Field
from neuralshade.source.cutout import OPACITY, level_list, visible_set
from neuralshade.source.map_entry import MATERIAL
from neuralshade.source.map_reader import ReadOptions, read_maps
from neuralshade.source.map_words import CONVENTIONS
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]
OTHERS = "maps: other numbers than those that were fitted, of the same names and size."


class TexturesAsset(Protocol):
    """An opened texture set, as evaluation, reports and pages use it.

    A protocol of this kind: no kind imports another.
    """

    @property
    def recipe(self) -> TexturesRecipe: ...
    @property
    def header(self) -> Header: ...
    @property
    def path(self) -> str: ...
    @property
    def byte_count(self) -> int: ...
    @property
    def memory_bytes(self) -> int: ...  # in a GPU's memory
    @property
    def tensors(self) -> dict[str, npt.NDArray[Any]]: ...
    @property
    def textures(self) -> Mapping[str, Any]: ...  # the header's facts of the set
    @property
    def codings(self) -> tuple[MapCoding, ...]: ...
    @property
    def sizes(self) -> list[tuple[int, int]]: ...  # width and height of every mip
    @property
    def field(self) -> Field: ...
    def trained_channels(self, level: int) -> Floats: ...  # [h, w, C]


def source_of(textures: MaterialSet) -> Source:
    """Return the identity of a set."""
    state = hashlib.sha256()
    for one in (textures.original or textures).maps:
        state.update(f"{one.name} {one.meaning} {one.values.shape}".encode())
        state.update(np.ascontiguousarray(one.values).data)
    return Source(textures.name, state.hexdigest())


def is_fitted(opened: TexturesAsset, textures: MaterialSet) -> bool:
    """Return whether the asset was fitted to these numbers."""
    return bool(source_of(textures).digest == opened.textures["digest"])


def reference_set(opened: TexturesAsset, source: Any) -> MaterialSet:
    """Return the maps of an asset, loaded from ``source``.

    Args:
        source: a folder, a manifest, files of maps or a MaterialSet. Other maps in it are ignored.
            The set's notes say where its numbers differ from the fitted ones.

    Raises: AssetError for maps of other names, sizes or meanings; what ``load_material_set``
        raises.
    """
    wrap = opened.recipe.wrap
    names = [coding.name for coding in opened.codings]
    first = found = _checked(opened, _loaded(source, names, wrap))
    readings = [(wrap, None)] if isinstance(source, MaterialSet) else _readings(wrap, found.names)
    for border, convention in readings[1:]:
        if is_fitted(opened, found):
            return evaluated_set(opened.recipe, found)
        found = _checked(opened, _loaded(source, names, border, convention))
    if not is_fitted(opened, found):
        found = replace(first, notes=(*first.notes, OTHERS))
    return evaluated_set(opened.recipe, found)


def evaluated_set(recipe: TexturesRecipe, textures: MaterialSet) -> MaterialSet:
    """Return a set as it is fitted and evaluated: without hidden color, unless kept."""
    return textures if recipe.keep_hidden_color else visible_set(textures)


def _readings(wrap: str, names: Sequence[str]) -> list[tuple[str, str | None]]:
    """Return the borders and conventions that a fit may have used, likeliest first.

    A convention may have been an argument; older fits enlarged smaller maps by repeat alone.
    """
    conventions = (None, *CONVENTIONS) if "normal" in names else (None,)
    return list(itertools.product(dict.fromkeys((wrap, "repeat")), conventions))


def _loaded(
    source: Any, names: Sequence[str], wrap: str, convention: str | None = None
) -> MaterialSet:
    if isinstance(source, MaterialSet):
        return source.original or source
    # older fits, and those of sets in memory, kept gloss where there is no roughness
    rules = replace(MATERIAL, keeps_gloss="gloss" in names and "roughness" not in names)
    return MaterialSet(*read_maps(source, {}, ReadOptions(rules, convention, wrap=wrap)))


def same_set(opened: TexturesAsset, source: Any) -> MaterialSet | None:
    """Return the maps of ``source`` if they were fitted, else None."""
    try:
        textures = reference_set(opened, source)
    except (NeuralShadeError, TypeError):  # the source of another kind
        return None
    return textures if is_fitted(opened, textures) else None


def _checked(opened: TexturesAsset, textures: MaterialSet) -> MaterialSet:
    """Return the asset's maps, in its order; AssetError where one differs."""
    place, whose = opened.path, plain_name(textures.name)
    names = [coding.name for coding in opened.codings]
    if missing := [name for name in names if name not in textures.names]:
        raise AssetError(f"{place}: got no {named(missing[0])} map from {whose}, which has "
                         f"{', '.join(textures.names)}, need {', '.join(names)}. Give the maps "
                         "that it was fitted to.")  # fmt: skip
    width, height = opened.sizes[0]
    if (textures.width, textures.height) != (width, height):
        raise AssetError(f"{place}: got maps of {textures.width} x {textures.height} from {whose}, "
                         f"need {width} x {height}. Give the maps that it was fitted "
                         "to.")  # fmt: skip
    for coding in opened.codings:
        one = textures[coding.name]
        if (one.meaning, one.values.shape[2]) != (coding.meaning, coding.channels):
            raise AssetError(f"{place}: got {one.name} as {one.meaning} with {one.values.shape[2]} "
                             f"channels from {whose}, need {coding.meaning} with "
                             f"{coding.channels}. Give the maps that it was fitted "
                             "to.")  # fmt: skip
    return MaterialSet(textures.name, tuple(textures[name] for name in names), textures.notes)


def coded_texels(coding: MapCoding, values: Floats) -> Floats:
    """Return texels of a map for comparison: float32 [..., channels] in [0, 1]."""
    coded = coding.coded(values)
    return with_z(coded) if coding.meaning == "normal" else coded


def varying(codings: Sequence[MapCoding]) -> list[MapCoding]:
    """Return the maps that vary: for others nothing is trained."""
    return [coding for coding in codings if coding.count]


def byte_maps(opened: TexturesAsset, textures: MaterialSet) -> ByteMaps:
    """Return all levels of the varying maps, from the reference, in 8 bits."""
    wraps = opened.recipe.wrap == "repeat"
    return byte_maps_of(opened.codings, len(opened.sizes), wraps, textures)


def byte_maps_of(
    codings: Sequence[MapCoding], mips: int, wraps: bool, textures: MaterialSet
) -> ByteMaps:
    """Return the same for a set without an asset."""
    coded = varying(codings)
    levels = {
        coding.name: [
            to_uint8(coded_texels(coding, level))
            for level in level_list(textures, coding.name, mips)
        ]
        for coding in coded
    }
    colors = [c.name for c in coded if c.meaning == "srgb" or c.curve == "srgb"]
    normals = [c.name for c in coded if c.meaning == "normal"]
    weighed = textures.original is not None and OPACITY in levels
    return ByteMaps(levels, frozenset(normals), frozenset(colors), wraps,
                    OPACITY if weighed else None)  # fmt: skip


def decoded_maps(opened: TexturesAsset) -> dict[str, list[Bytes]]:
    """Return all levels of the maps that vary, as decoded, in 8 bits."""
    coded = varying(opened.codings)
    decoded: dict[str, list[Bytes]] = {coding.name: [] for coding in coded}
    for level in range(len(opened.sizes)):
        channels = opened.trained_channels(level)
        for coding in coded:
            decoded[coding.name].append(to_uint8(coding.shown(channels)))
    return decoded
