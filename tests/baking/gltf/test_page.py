"""baking/gltf/page: a page draws a model with its assets, as engines draw the decoded files."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
from fixtures.browsers import gpu_browser
from fixtures.gltf_models import ModelFile, encoded, material, normals, picture
from fixtures.web_pages import Shown, adapter_or_skip, opened
from PIL import Image

from neuralshade.baking.gltf.finish import finish_model
from neuralshade.baking.gltf.jobs import model_jobs
from neuralshade.baking.gltf.materials import Mapping2D
from neuralshade.baking.gltf.page import page_of_model
from neuralshade.baking.job import MADE, Row
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.measure.quality import psnr_db

__all__ = ["gpu_browser"]
ALIKE_DB = 40
SIZE = (440, 320)  # texels are larger than its pixels


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Give the jobs of a model with all slots, an alpha, and a set in two places; it is baked."""
    folder = tmp_path_factory.mktemp("page")
    file = ModelFile(count=2)
    rows = [file.image(one) for one in (picture(1), picture(2), normals(3), picture(4))]
    leaf = file.image(picture(5, channels=4))
    tiled = {"index": rows[2], "extensions": {"KHR_texture_transform": {"scale": [2, 2]}}}
    file.document["materials"] = [
        material("wall", rows[0], rows[1], rows[2], rows[1], rows[3], emissiveFactor=[0.2] * 3),
        material("leaf", leaf, normal=tiled, alphaMode="MASK", doubleSided=True),
    ]
    return baked(file.save(folder / "house.glb"), folder / "out")


def baked(path, output, steps=6):
    output.mkdir()
    found = model_jobs(path, output, {"steps": steps, "batch": 1024, "polish": 0})
    for job in found.jobs:
        fit_textures(list(job.subject), output / job.output,
                     options=FitOptions(engine="torch"), **job.settings)  # fmt: skip
    finish_model(found, [Row(job.name, job.kind, job.output, MADE) for job in found.jobs])
    return found


def drawn(browser, path, query):
    """Return the canvas when all is decoded and drawn: uint8 [h, w, 3]."""
    with opened(browser, path, f"ui=0&{query}", SIZE) as shown:
        adapter_or_skip(shown, query.partition("api=")[2].partition("&")[0])
        shown.page.evaluate("() => neuralshade_viewer.view.whole")
        return shown.pixels()


@pytest.mark.slow
@pytest.mark.parametrize("api", ["webgpu", "webgl2"])
def test_it_is_drawn_as_the_decoded_model(house, gpu_browser, tmp_path, api):
    """The page of the baked .glb has, as its originals, what the assets decode to."""
    view = f"api={api}&turn=0,0"  # from the front, where no other mips are seen
    neural = drawn(gpu_browser, house.page, f"{view}&beside=0")
    again = model_jobs(house.glb, tmp_path / "again")
    page = tmp_path / "again.html"
    page.write_bytes(page_of_model(again.model, {}, []))
    decoded = drawn(gpu_browser, page, view)
    assert np.ptp(neural) > 100
    assert psnr_db(decoded, neural) > ALIKE_DB
    original = drawn(gpu_browser, house.page, f"{view}&beside=1&wipe=0")
    assert psnr_db(original, neural) < ALIKE_DB  # after six steps


@pytest.mark.slow
def test_both_apis_draw_one_picture(house, gpu_browser):
    one, other = (drawn(gpu_browser, house.page, f"api={api}&beside=1&turn=30,40")
                  for api in ("webgpu", "webgl2"))  # fmt: skip
    assert psnr_db(one, other) > ALIKE_DB


def plain_quad(mapping, uv=lambda found: found, **sampler):
    """Return a model of one unlit quad, seen from above; ``uv`` changes its coordinates."""
    file = ModelFile(shapes=("quad",))
    texels = np.random.default_rng(7).integers(0, 256, (4, 8, 3), np.uint8)
    base = file.image(encoded(Image.fromarray(texels).resize((256, 128), Image.NEAREST), "PNG"))
    file.document["textures"][base]["sampler"] = 0
    file.document["samplers"] = [sampler]
    row = {"index": base, "extensions": {"KHR_texture_transform": mapping}}
    file.document["extensionsUsed"] = ["KHR_texture_transform", "KHR_materials_unlit"]
    file.document["materials"] = [
        material("q", row, doubleSided=True, extensions={"KHR_materials_unlit": {}})
    ]
    part = file.document["meshes"][0]["primitives"][0]
    view = file.document["bufferViews"][part["attributes"]["TEXCOORD_0"]]
    begin, end = view["byteOffset"], view["byteOffset"] + view["byteLength"]
    coordinates = np.frombuffer(file.data[begin:end], np.float32).reshape(-1, 2)
    changed = np.ascontiguousarray(uv(coordinates), np.float32).tobytes()
    file.data = file.data[:begin] + changed + file.data[end:]
    return file


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [10497, 33071, 33648])
def test_transforms_and_borders_are_obeyed(gpu_browser, tmp_path, wrap):
    """A transform draws as the same change of the coordinates."""
    mapping = {"offset": [0.2, -0.7], "rotation": 0.5, "scale": [1.5, 2.5]}
    rows = np.array(Mapping2D(0, (0.2, -0.7), 0.5, (1.5, 2.5)).rows)
    transformed = plain_quad(mapping, wrapS=wrap, wrapT=wrap)
    moved = plain_quad({}, lambda uv: uv @ rows[:, :2].T + rows[:, 2], wrapS=wrap, wrapT=wrap)
    shots = []
    for name, file in (("a", transformed), ("b", moved)):
        found = model_jobs(file.save(tmp_path / f"{name}.glb"), tmp_path / name)
        page = tmp_path / f"{name}.html"
        page.write_bytes(page_of_model(found.model, {}, []))
        shots.append(drawn(gpu_browser, page, "api=webgl2&turn=0,80"))
    assert np.ptp(shots[0]) > 100
    assert psnr_db(*shots) > ALIKE_DB


@pytest.mark.slow
def test_the_page_says_what_it_does_until_it_is_ready(house, gpu_browser):
    """It has no poster: without a line it would be empty for as long as it decodes."""
    watch = """addEventListener("DOMContentLoaded", () => {
        globalThis.said = [];
        new MutationObserver(() => {
            const text = document.querySelector("#loading, .status")?.textContent;
            if (text && said.at(-1) !== text) said.push(text);
        }).observe(document, { childList: true, subtree: true, characterData: true });
    });"""
    tab = gpu_browser.new_context()
    tab.add_init_script(watch)
    shown = Shown(tab.new_page())
    shown.page.goto(house.page.as_uri())
    assert shown.ready() in ("WebGPU", "WebGL 2")
    said = shown.page.evaluate("said")
    assert said[:3] == ["Loading", "Compiling shaders", "Reading the model"]
    assert {f"Decoding neural textures, set {n} of 2" for n in (1, 2)} <= set(said)
    assert said[-1] == "Reading original images, 5 of 5"
    assert shown.text == "" and shown.page.locator("#loading").count() == 0
    tab.close()


@pytest.mark.slow
def test_without_a_gpu_the_page_says_so_in_its_middle(house, gpu_browser):
    with opened(gpu_browser, house.page, "api=none", SIZE) as shown:
        assert shown.ready() == "still"
        assert shown.text == (
            "This browser has neither WebGPU nor WebGL 2, which the live view needs."
        )
        box = shown.page.locator(".status").bounding_box()
        assert abs(box["y"] + box["height"] / 2 - SIZE[1] / 2) < 2


def test_the_page_says_all_sizes(house):
    text = house.page.read_text("utf-8")
    assets = sum((house.output / job.output).stat().st_size for job in house.jobs)
    (facts,) = header_of(text)["assets"]
    images = house.model.image_bytes
    assert f"2 neural texture sets: {assets:,} bytes, " in facts["summary"]
    assert (
        f"5 images: {images:,} bytes, {5 * (64 * 64 * 16 // 3):,} in a GPU as RGBA"
        in (facts["summary"])
    )
    assert facts["about"].startswith(f"neuralshade, {assets:,} bytes, ")
    assert facts["original"]["about"] == f"original images, {images:,} bytes"


def header_of(page):
    """Return the JSON that begins a page's data."""
    data = base64.b64decode(re.search(r'id="data"[^>]*>([^<]*)<', page)[1])
    length = int.from_bytes(data[4:8], "little")
    return json.loads(zlib.decompress(data[8 : 8 + length], -15))


def test_a_model_that_no_page_shows_gets_none(tmp_path, caplog):
    file = ModelFile()
    file.document["materials"] = [material("wall", file.image(picture(1)))]
    part = file.document["meshes"][0]["primitives"][0]
    part["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}}
    file.document["accessors"][part["attributes"]["POSITION"]].pop("bufferView")
    file.document["meshes"] = file.document["meshes"][:1]
    file.document["nodes"], file.document["scenes"] = [{"mesh": 0}], [{"nodes": [0]}]
    found = baked(file.save(tmp_path / "x.glb"), tmp_path / "out", steps=1)
    assert f"{found.page}: left out. {found.model.path}: got triangles compressed" in caplog.text
    assert found.glb.exists()
    assert not found.page.exists()
