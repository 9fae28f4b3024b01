"""examples/export/material_page.py: the page's shader compiles in WebGPU, its numbers are whole."""

import base64
import importlib.util
import json
import pathlib
import re

import pytest

import neuralshade

ROOT = pathlib.Path(__file__).parents[2]
ASSET = ROOT / "tests/data/material.nsh"


def page():
    about = importlib.util.spec_from_file_location(
        "material_page", ROOT / "examples/export/material_page.py"
    )
    module = importlib.util.module_from_spec(about)
    about.loader.exec_module(module)
    return module.page(ASSET)


def test_it_holds_the_text_and_all_numbers(tmp_path):
    text = page()
    words = base64.b64decode(re.search(r'atob\("(.*?)"\)', text)[1])
    neuralshade.export(ASSET, "wgsl", tmp_path, name="stuff")
    assert words == (tmp_path / "stuff.bin").read_bytes()
    assert text.count("</script>") == 1 and "NAME" not in text


def test_its_shader_is_taken_by_webgpu():
    wgpu = pytest.importorskip("wgpu")
    adapters = wgpu.gpu.enumerate_adapters_sync()
    if not adapters:
        pytest.skip("no adapter of wgpu")
    device = adapters[0].request_device_sync()
    shader = json.loads(re.search(r"const text = (.*);", page())[1])
    module = device.create_shader_module(code=shader)
    target = {"format": wgpu.TextureFormat.rgba8unorm}
    device.create_render_pipeline(
        layout="auto", vertex={"module": module, "entry_point": "corner"},
        fragment={"module": module, "entry_point": "pixel", "targets": [target]},
        primitive={"topology": wgpu.PrimitiveTopology.triangle_list},
    )  # fmt: skip
