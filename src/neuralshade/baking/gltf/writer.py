"""The .glb that comes out: the model, its fitted images replaced by what their assets decode to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from neuralshade.baking.gltf.container import GlbDocument
from neuralshade.baking.gltf.decoded import decoded_textures
from neuralshade.baking.gltf.materials import texture_row
from neuralshade.baking.gltf.model import Model
from neuralshade.baking.gltf.sets import ROLES, MapSet

NOTE = "neuralshade"  # of extras


def model_file(model: Model, assets: Mapping[str, Path], sets: list[MapSet], digest: str) -> bytes:
    """Return a .glb file whose materials read textures decoded from assets.

    Each is a PNG, as every engine reads it; where its sides are multiples of four, also a DDS
    with blocks and all levels, by MSFT_texture_dds. Sets without an asset keep their images. Each
    material's extras name its assets.

    Args:
        assets: by the names of the sets.
        digest: written into the asset's extras, see ``digest_of``.

    Raises: ConfigError for an invalid model, AssetError for an asset that is not of its set.
    """
    document = GlbDocument(model.file)
    for row in (document.json["asset"], *document.json.get("materials", [])):
        if isinstance(row.get("extras"), dict):
            row["extras"].pop(NOTE, None)  # of an earlier bake
    made = [one for one in sets if one.name in assets]
    for one in made:
        for material, slot in one.users:
            _info(document, material, slot)["index"] = None
    document.forget_unused()
    for one in made:
        _replace(document, model, one, assets[one.name])
    _note(document.json["asset"], {"digest": digest})
    return document.content()


def digest_of(path: str | os.PathLike[str]) -> str | None:
    """Return the digest in a file that ``model_file`` made; None for any other, or none."""
    from neuralshade.errors import ConfigError
    from neuralshade.scene.gltf_file import GltfFile

    try:
        extras = GltfFile(path).json["asset"].get("extras", {})
        return str(extras[NOTE]["digest"])
    except (ConfigError, KeyError, TypeError, AttributeError):
        return None


def _replace(document: GlbDocument, model: Model, one: MapSet, asset: Path) -> None:
    """Let all users of a set read its decoded textures."""
    textures = decoded_textures(asset, list(one.uses))
    rows = dict[tuple[int, Any], int]()
    for index, slot in one.users:
        files = textures[slot]
        sampler = _sampler(model, index, slot)
        key = (id(files), sampler)
        if key not in rows:
            name = f"{one.name}_{ROLES[slot]}"
            rows[key] = document.add_texture(files.png, files.dds, sampler, name)
        _info(document, index, slot)["index"] = rows[key]
        material = document.json["materials"][index]
        read = [ROLES[each] for at, each in one.users if at == index]
        _note(material, {"assets": {f"{one.name}.nsh": read}})


def _info(document: GlbDocument, material: int, slot: str) -> dict[str, Any]:
    """Return a slot's textureInfo in the new document."""
    found: dict[str, Any] = texture_row(document.json["materials"][material], slot)
    return found


def _sampler(model: Model, material: int, slot: str) -> int | None:
    texture = model.materials[material].slots[slot].texture
    return model.file.entry("textures", texture).get("sampler")


def _note(row: dict[str, Any], facts: dict[str, Any]) -> None:
    """Add facts to the extras of a row, unless these are of another form."""
    extras = row.setdefault("extras", {})
    if not isinstance(extras, dict):
        return
    held = extras.setdefault(NOTE, {})
    for name, value in facts.items():
        if isinstance(value, dict):
            held.setdefault(name, {}).update(value)
        else:
            held[name] = value
