"""cli: names that no file can have end in one line, wherever a path is expected."""

import json
import shutil
from pathlib import Path

import pytest

from neuralshade import load_texture_set
from neuralshade.base.argument_checks import may_be_name
from neuralshade.errors import NeuralShadeError
from neuralshade.verbs.info import info

DATA = Path(__file__).parent.parent / "data"
LONG = "n" * 300  # more than a file system takes
DEEP = "d" * 200 + "/"
COMMANDS = [
    "info LONG", "render LONG -o x.png", "evaluate LONG photo.png", "evaluate image.nsh LONG",
    "evaluate textures.nsh LONG", "evaluate material.nsh LONG", "report LONG photo.png -o x.html",
    "report image.nsh photo.png -o LONG", "report image.nsh photo.png -o x.html --snapshots LONG",
    "decode LONG -o x", "decode textures.nsh -o LONG", "scene LONG -o x.png",
    "scene room.toml -o LONG.png", "view LONG", "check-gradients LONG",
    "render image.nsh -o LONG.png",
    *(f"fit {kind} LONG" for kind in ("image", "splats", "textures", "mipmaps", "material",
                                      "shader")),
    "fit image photo.png -o LONG", "fit image photo.png --resume LONG",
    "fit image photo.png --report LONG", "fit image photo.png --events LONG",
    "fit image photo.png --recipe LONG.toml", "fit image photo.png --snapshots LONG",
    "fit image photo.png --tensorboard LONG", "fit mipmaps set.json -o LONG",
    "fit mipmaps named.json", "fit textures LONG.json", "fit textures photo.png LONG",
    "fit textures long.json", "fit material long.json", "fit material LONG.mtlx",
    "fit material long.mtlx", "fit material including.mtlx",
    "fit material paint.slang --share LONG",
    "fit shader included.slang", "fit image photo.png --recipe parent.json",
    "scene gltf.toml -o x.png", "fit shader tint.slang --set photo=LONG",
]  # fmt: skip
MATERIAL = """<?xml version="1.0"?><materialx version="1.38">
<image name="i" type="color3"><input name="file" type="filename" value="LONG.png"/></image>
<standard_surface name="s" type="surfaceshader">
<input name="base_color" type="color3" nodename="i"/></standard_surface>
<surfacematerial name="m" type="material">
<input name="surfaceshader" type="surfaceshader" nodename="s"/></surfacematerial></materialx>"""
INCLUDING = """<?xml version="1.0"?>
<materialx version="1.38" xmlns:xi="http://www.w3.org/2001/XInclude">
<xi:include href="LONG.mtlx"/></materialx>"""
ROOM = """camera = { position = [0, 1, 3], look_at = [0, 0, 0] }
materials.clay = { diffuse = [0.5, 0.2, 0.1] }
mesh = [{ MESH, material = "clay" }]
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Give a folder with documents that name what no file can be called."""
    folder = tmp_path_factory.mktemp("files")
    for name in ("photo.png", "tint.slang", "textures.nsh", "material.nsh"):
        shutil.copy(DATA / name, folder)
    shutil.copy(DATA / "image_grid.nsh", folder / "image.nsh")
    maps = {"albedo": "photo.png", "roughness": "photo.png"}
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "buffers": [{"uri": LONG, "byteLength": 36}]}  # fmt: skip
    texts = {
        "set.json": json.dumps(maps), "long.json": json.dumps(maps | {"albedo": LONG}),
        "named.json": json.dumps({"name": LONG} | maps),
        "long.mtlx": MATERIAL.replace("LONG", LONG),
        "including.mtlx": INCLUDING.replace("LONG", LONG),
        "included.slang": f'#include "{LONG}"\n', "parent.json": json.dumps({"parent": LONG}),
        "paint.slang": "float3 eval(float2 uv, float3 wi, float3 wo) { return 0.0f; }\n",
        "room.toml": ROOM.replace("MESH", 'shape = "ball"'), "x.gltf": json.dumps(gltf),
        "gltf.toml": ROOM.replace("MESH", 'file = "x.gltf"'),
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_is_too_long_ends_in_a_line(files, run, monkeypatch, command):
    monkeypatch.chdir(files)
    before = set(files.iterdir())
    done = run(*command.replace("LONG", LONG).split())
    assert done.code in (1, 2)
    last = [line for line in done.err if line.startswith("neuralshade: ")]
    assert len(last) == 1 and (": got " in last[0] or "cannot open" in "".join(done.err))
    assert set(files.iterdir()) == before


@pytest.mark.parametrize("name", [LONG, DEEP * 30 + "x"])
def test_an_output_with_such_a_name_is_refused_by_its_length(files, run, monkeypatch, name):
    """Before anything is trained."""
    monkeypatch.chdir(files)
    for given in (["-o", name], ["-o", "x.nsh", "--report", name]):
        done = run("fit", "image", "photo.png", "--steps", "1", *given)
        said = f"{name}: got a name that is too long, need a shorter one. Choose another path."
        assert done.code == 1 and done.err[-1].endswith(said)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_nor_can_python_name_a_file_so(name):
    assert not may_be_name(name) and may_be_name("a\udcffb"), "bytes that are no UTF-8"
    with pytest.raises(NeuralShadeError):
        info(name)
    with pytest.raises(NeuralShadeError):
        load_texture_set(name)
