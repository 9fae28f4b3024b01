"""Page of a model: its meshes with the textures of assets, and with the original images beside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from neuralshade.baking.gltf.images import TYPES
from neuralshade.baking.gltf.materials import (
    BASE,
    EMISSIVE,
    NORMAL,
    OCCLUSION,
    ROUGH,
    Material,
)
from neuralshade.baking.gltf.model import Model
from neuralshade.baking.gltf.sets import MapSet
from neuralshade.scene.gltf_surfaces import gltf_surfaces
from neuralshade.verbs.export.web.model_mesh import PageMesh
from neuralshade.verbs.export.web.model_view import PageMaterial, PageModel, PageSlot
from neuralshade.verbs.export.web.web import model_page

NAMES = {BASE: "base", NORMAL: "normal", ROUGH: "rough", OCCLUSION: "occlusion",
         EMISSIVE: "emissive"}  # fmt: skip
MOST_TEX_COORD = 1  # of those that a page has


def page_of_model(model: Model, assets: Mapping[str, Path], sets: list[MapSet]) -> bytes:
    """Return an HTML page that shows a model; ``assets``: by the names of sets.

    Raises: ConfigError for a model without triangles, or with compressed ones; AssetError for an
        asset that no page shows.
    """
    made = [one for one in sets if one.name in assets]
    owner = {user: number for number, one in enumerate(made) for user in one.users}
    rows = {index: number for number, index in enumerate(model.images)}
    materials = [_material(one, owner, rows) for one in model.materials]
    meshes = [
        PageMesh(len(materials) if one.material is None else one.material, one.places, one.normals,
                 one.uv, one.colors, one.triangles)
        for one in gltf_surfaces(model.file)
    ]  # fmt: skip
    images = [(one.content, TYPES[one.form]) for one in model.images.values()]
    return model_page(PageModel(model.name, meshes, [*materials, PageMaterial({})],
                                [assets[one.name] for one in made], images))  # fmt: skip


def _material(
    one: Material, owner: Mapping[tuple[int, str], int], rows: Mapping[int, int]
) -> PageMaterial:
    slots = {
        NAMES[name]: PageSlot(rows[slot.image], owner.get((one.index, name)), slot.mapping.rows,
                              min(slot.mapping.tex_coord, MOST_TEX_COORD), slot.mapping.wraps)
        for name, slot in one.slots.items()
    }  # fmt: skip
    return PageMaterial(slots, one.base, one.emissive, one.roughness, one.metallic,
                        one.normal_scale, one.occlusion, one.alpha_mode, one.cutoff,
                        one.double_sided, one.unlit)  # fmt: skip
