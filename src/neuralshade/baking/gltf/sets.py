"""Texture sets of a model: which images are fitted together, and for whom.

Slots of a material whose textures lie alike on the mesh (one TEXCOORD, one transform, one border,
one aspect ratio) are one set. Materials with the same images in the same slots share a set; so do
those whose images are among those of a larger set. An image in sets that differ is fitted in each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from neuralshade.baking.gltf.images import Image
from neuralshade.baking.gltf.materials import BASE, EMISSIVE, NORMAL, OCCLUSION, ROUGH, Material
from neuralshade.baking.gltf.model import Model, slots_of
from neuralshade.source.resize import same_shape

ROLES = {BASE: "albedo", NORMAL: "normal", ROUGH: "metallic_roughness", OCCLUSION: "ao",
         EMISSIVE: "emissive"}  # fmt: skip
LEAST_TEXELS = 64 * 64  # below it the decoder alone, 7 kB and more, outweighs the images
LONGEST_NAME = 60
# names that Windows keeps for devices, whatever their suffix
DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{d}{i}" for d in ("com", "lpt")
                                                   for i in range(10))])  # fmt: skip


@dataclass(frozen=True)
class Use:
    """An image in a slot; ``alpha``: whether its alpha is the opacity."""

    digest: str
    alpha: bool = False


@dataclass
class MapSet:
    """Images that are fitted together: one job, one asset."""

    name: str  # of its files, without suffix
    wrap: str  # repeat or clamp
    uses: Mapping[str, Use]  # by slot
    users: list[tuple[int, str]] = field(default_factory=list)  # materials and their slots


def map_sets(model: Model) -> list[MapSet]:
    """Return the sets of a model's materials, in their order; adds notes to the model."""
    found = list[MapSet]()
    for material in model.materials:
        for index, slots in enumerate(_alike(model, material)):
            _add(found, model, material, slots, first=index == 0)
    _merge(found)
    kept = [one for one in found if _texels(model, one) >= LEAST_TEXELS]
    small = sum(len(one.uses) for one in found) - sum(len(one.uses) for one in kept)
    if small:
        model.notes.append(f"{small} images of fewer than {LEAST_TEXELS:,} texels stay as they "
                           "are: a decoder would be larger.")  # fmt: skip
    return kept


def by_digest(model: Model) -> dict[str, Image]:
    """Return a model's images by their content."""
    return {one.digest: one for one in model.images.values()}


def _alike(model: Model, material: Material) -> list[list[str]]:
    """Return the slots of a material in groups of one mapping and one aspect ratio.

    The group of the base color comes first, as it is first among slots.
    """
    groups: list[list[str]] = []
    for slot in slots_of(material):
        mapping = material.slots[slot].mapping
        for group in groups:
            same = mapping == material.slots[group[0]].mapping
            if same and all(same_shape(_size(model, material, slot), _size(model, material, other))
                            for other in group):  # fmt: skip
                group.append(slot)
                break
        else:
            groups.append([slot])
    return groups


def _size(model: Model, material: Material, slot: str) -> tuple[int, int]:
    image = model.images[material.slots[slot].image]
    return image.height, image.width


def _texels(model: Model, one: MapSet) -> int:
    images = by_digest(model)
    return max(images[use.digest].texels for use in one.uses.values())


def _add(
    found: list[MapSet], model: Model, material: Material, slots: list[str], *, first: bool
) -> None:
    uses = {}
    for slot in slots:
        image = model.images[material.slots[slot].image]
        alpha = slot == BASE and material.alpha_mode != "OPAQUE" and image.has_alpha
        uses[slot] = Use(image.digest, alpha)
    wrap = material.slots[slots[0]].mapping.wrap
    users = [(material.index, slot) for slot in slots]
    for one in found:
        if one.wrap == wrap and one.uses == uses:
            one.users += users
            return
    called = material.name if first else f"{material.name}_{ROLES[slots[0]]}"
    name = _free_name(called, [one.name for one in found])
    found.append(MapSet(name, wrap, uses, users))


def _merge(found: list[MapSet]) -> None:
    """Let sets whose images are among those of a larger one be drawn from that."""
    for one in sorted(found, key=lambda each: len(each.uses)):
        for other in found:
            larger = other is not one and other.wrap == one.wrap
            if (
                larger
                and len(other.uses) > len(one.uses)
                and (one.uses.items() <= other.uses.items())
            ):
                other.users += one.users
                found.remove(one)
                break


def _free_name(called: str, taken: list[str]) -> str:
    """Return a name for files: of letters, digits, - and _, and unlike those that are taken."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "_", called).strip("_-")[:LONGEST_NAME] or "material"
    stem = f"{stem}_material" if stem.lower() in DEVICES else stem
    lower, name, number = {one.lower() for one in taken}, stem, 2
    while name.lower() in lower:
        name, number = f"{stem}_{number}", number + 1
    return name
