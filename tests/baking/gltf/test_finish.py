"""baking/gltf: the model that comes out reads what its assets decode to, and keeps the rest."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from fixtures.gltf_models import ModelFile, material, normals, picture
from PIL import Image

from neuralshade.baking.gltf.finish import finish_model
from neuralshade.baking.gltf.images import image_bytes
from neuralshade.baking.gltf.jobs import model_jobs
from neuralshade.baking.job import FAILED, MADE, Row
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds import open_asset
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.scene.gltf import load_gltf
from neuralshade.scene.gltf_file import GltfFile
from neuralshade.source.image_file import load_picture

QUICK = {"steps": 2, "batch": 64, "polish": 0, "mips": 3}


def baked(path, output, failed=()):
    """Fit all sets of a model in a moment; return its jobs and their rows."""
    found = model_jobs(path, output, QUICK)
    rows = []
    for job in found.jobs:
        state = FAILED if job.name in failed else MADE
        if state == MADE:
            fit_textures(list(job.subject), output / job.output,
                         options=FitOptions(engine="torch"), **job.settings)  # fmt: skip
        rows.append(Row(job.name, job.kind, job.output, state))
    return found, rows


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Give a model with two sets, a texture that an extension shares, and what it became."""
    folder = tmp_path_factory.mktemp("house")
    file = ModelFile(count=2)
    file.document["samplers"] = [{"wrapS": 33071, "wrapT": 33071}, {"magFilter": 9729}]
    base, orm = file.image(picture(1)), file.image(picture(2, (32, 32)))
    normal, glow = file.image(normals(3)), file.image(picture(4, form="JPEG"), "beside", "glow.jpg")
    cut = file.image(picture(5, (96, 62), channels=4))
    file.document["textures"][base]["sampler"] = 1
    tiled = {"index": normal, "extensions": {"KHR_texture_transform": {"scale": [2, 2]}}}
    coat = {"KHR_materials_clearcoat": {"clearcoatTexture": {"index": glow}}}
    file.document["materials"] = [
        material("wall", base, orm, normal, orm, glow, emissiveFactor=[0.2, 0.2, 0.2]),
        material("leaf", cut, normal=tiled, alphaMode="MASK", extensions=coat),
    ]
    file.document["extensionsUsed"] = ["KHR_texture_transform", "KHR_materials_clearcoat"]
    path = file.save(folder / "house.glb")
    (folder / "out").mkdir()
    found, rows = baked(path, folder / "out")
    finish_model(found, rows)
    return found, rows, GltfFile(found.glb)


def pixels(file, texture):
    row = file.json["textures"][texture]
    return np.asarray(Image.open(io.BytesIO(image_bytes(file, row["source"]))))


def test_materials_read_what_assets_decode_to(house):
    found, _, file = house
    wall, leaf = file.json["materials"]
    with open_asset(found.output / "wall.nsh") as opened:
        albedo, rough = opened.map("albedo"), opened.map("roughness")
        metal, ao = opened.map("metallic"), opened.map("ao")
        normal = opened.map("normal") / 2 + 0.5
    orm = np.concatenate([ao, rough, metal], axis=2)
    pbr = wall["pbrMetallicRoughness"]
    for slot, values in ((pbr["baseColorTexture"], albedo), (wall["normalTexture"], normal),
                         (pbr["metallicRoughnessTexture"], orm)):  # fmt: skip
        read = pixels(file, slot["index"]) / 255
        np.testing.assert_allclose(read, values.clip(0, 1), atol=0.51 / 255)
    assert wall["occlusionTexture"]["index"] == pbr["metallicRoughnessTexture"]["index"]
    assert pixels(file, leaf["pbrMetallicRoughness"]["baseColorTexture"]["index"]).shape[2] == 4
    # its normal is the wall's, by another transform, which is kept
    assert leaf["normalTexture"]["index"] == wall["normalTexture"]["index"]
    assert leaf["normalTexture"]["extensions"]["KHR_texture_transform"] == {"scale": [2, 2]}
    assert leaf["extras"]["neuralshade"]["assets"] == {"leaf.nsh": ["albedo"],
                                                       "wall.nsh": ["normal"]}  # fmt: skip


def test_blocks_hold_all_levels_where_sides_are_multiples_of_four(house, tmp_path):
    _, _, file = house
    textures = file.json["textures"]
    blocks = {row["name"]: row["extensions"]["MSFT_texture_dds"]["source"] for row in textures
              if "MSFT_texture_dds" in row.get("extensions", {})}  # fmt: skip
    assert set(blocks) == {"wall_albedo", "wall_normal", "wall_metallic_roughness",
                           "wall_emissive"}  # fmt: skip
    assert "MSFT_texture_dds" in file.json["extensionsUsed"]
    assert "extensionsRequired" not in file.json
    for name, image in blocks.items():
        dds = image_bytes(file, image)
        assert len(dds) == 148 + 64 * 64 + 32 * 32 + 16 * 16  # three levels, a byte a texel
        (tmp_path / "x.dds").write_bytes(dds)
        row = next(i for i, one in enumerate(textures) if one.get("name") == name)
        read = load_picture(tmp_path / "x.dds").pixels[..., :3]
        assert np.corrcoef(read.ravel(), pixels(file, row).ravel())[0, 1] > 0.9  # noise, nearly


def test_all_else_is_as_before(house):
    found, _, file = house
    before, after = load_gltf(found.model.path), load_gltf(found.glb)
    for name in ("places", "normals", "uv", "tangents", "triangles"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    coat = file.json["materials"][1]["extensions"]["KHR_materials_clearcoat"]["clearcoatTexture"]
    texture = file.json["textures"][coat["index"]]
    kept = image_bytes(file, texture["source"])
    assert kept == picture(4, form="JPEG")  # inside now, as it may not lie beside the result
    assert file.json["images"][texture["source"]]["mimeType"] == "image/jpeg"
    sampled = file.json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]["index"]
    assert file.json["textures"][sampled]["sampler"] == 1
    whole = found.glb.read_bytes()
    for index in range(len(found.model.file.json["images"])):
        if index in (0, 1, 2, 4):  # they are not in the file any more
            assert image_bytes(found.model.file, index) not in whole
    assert len(whole) == int.from_bytes(whole[8:12], "little")


def test_a_second_time_nothing_is_written(house):
    found, rows, _ = house
    before = found.glb.stat().st_mtime_ns
    assert finish_model(found, rows)[0] == found.glb
    assert found.glb.stat().st_mtime_ns == before


def test_a_failed_set_keeps_its_images(tmp_path, caplog):
    file = ModelFile(count=2)
    rows = [file.image(picture(1)), file.image(picture(2))]
    file.document["materials"] = [material("good", rows[0]), material("bad", rows[1])]
    (tmp_path / "out").mkdir()
    found, done = baked(file.save(tmp_path / "x.glb"), tmp_path / "out", failed=["bad"])
    finish_model(found, done)
    assert f"{found.glb}: keeps the images of bad, which have no asset." in caplog.text
    out = GltfFile(found.glb)
    kept = out.json["materials"][1]["pbrMetallicRoughness"]["baseColorTexture"]["index"]
    assert image_bytes(out, out.json["textures"][kept]["source"]) == picture(2)
    assert finish_model(found, [Row("bad", "textures", "bad.nsh", FAILED)]) == []


def test_a_gltf_with_files_beside_it_becomes_one_file(tmp_path):
    file = ModelFile()
    file.document["materials"] = [material("wall", file.image(picture(1), "beside", "a b.png"))]
    path = file.save(tmp_path / "x.gltf")
    (tmp_path / "out").mkdir()
    found, rows = baked(path, tmp_path / "out")
    (glb,) = [one for one in finish_model(found, rows) if one.suffix == ".glb"]
    text = json.dumps(GltfFile(glb).json)
    assert '"uri"' not in text
    assert Path(found.jobs[0].subject[0]).name == "albedo.png"
