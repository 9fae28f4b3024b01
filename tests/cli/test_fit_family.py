"""cli: what fit mipmaps --share prints, takes and refuses."""

import functools
import json
import re

import numpy as np
import pytest

import neuralshade
from neuralshade.kinds.mipmaps.family import fit as fit_family
from neuralshade.kinds.mipmaps.family.role import PriorTrainer
from neuralshade.kinds.mipmaps.family.training import FamilyTraining

FEW = ["--steps", "8", "--pool", "16", "--pairs", "4"]
USED = ["--pool", "16", "--pairs", "4"]


@pytest.fixture
def rocks(folder, monkeypatch):
    """Stand beside three folders with maps of 8 x 8 texels; networks are taught for a moment."""
    training = FamilyTraining(steps=10, batch=64)
    monkeypatch.setattr(
        fit_family, "PriorTrainer", functools.partial(PriorTrainer, training=training)
    )
    for seed, name in enumerate(("gneiss", "slate", "basalt")):
        (folder / name).mkdir()
        rng = np.random.default_rng(seed)
        normal = np.concatenate([rng.normal(0, 0.3, (8, 8, 2)), np.ones((8, 8, 1))], axis=2)
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        maps = {"albedo": rng.random((8, 8, 3)), "normal_gl": (normal + 1) / 2,
                "roughness": rng.uniform(0.3, 0.9, (8, 8, 1))}  # fmt: skip
        for file, values in maps.items():
            neuralshade.save_picture(f"{name}/{file}.png", values.astype(np.float32), "srgb")
    return folder


@pytest.mark.slow
def test_trained_used_and_told(run, device, rocks):
    done = run("fit", "mipmaps", "gneiss", "slate", "--share", "f.nsh", "-o", "out", *FEW)
    assert done.code == 0, done
    size = (rocks / "f.nsh").stat().st_size
    assert re.fullmatch(rf"f\.nsh: {size:,} bytes, trained in \d+\.\d s", done.out[-2])
    assert re.fullmatch(r"share of each set's corrections that it misses \(0: all is learned, 1: "
                        r"nothing\): gneiss \d\.\d\d, slate \d\.\d\d", done.out[-1])  # fmt: skip
    for name in ("gneiss", "slate"):
        asset = f"out/{name}_mips/{name}.nsh"
        assert asset in done.out and (rocks / asset).exists()
        assert (rocks / f"out/{name}_mips/albedo.dds").exists()

    done = run("fit", "mipmaps", "basalt", "--share", "f.nsh", *USED)
    assert done.code == 0, done
    assert "started from f.nsh, which learned from gneiss, slate." in done.out
    assert any(line.startswith("64 steps in ") for line in done.out)
    assert done.out[-2] == f"f.nsh: {size:,} bytes, used, and left as it was"
    assert (rocks / "basalt_mips/basalt.nsh").exists()

    text = "\n".join(run("info", "f.nsh").out)
    assert re.search(r"^kind +mip_family", text, re.M)
    assert re.search(r"^family +2 sets, share of their corrections that the network misses beside "
                     r"\(0: all is learned, 1: nothing\)$", text, re.M)  # fmt: skip
    assert re.search(r"^  slate +8 x 8, \d\.\d\d$", text, re.M)
    assert json.loads(run("info", "f.nsh", "--json").out[0])["family"]["network"]["steps"] == 10


@pytest.mark.slow
def test_json_is_one_line(run, device, rocks):
    done = run("fit", "mipmaps", "gneiss", "slate", "--share", "f.nsh", "--json", *FEW)
    assert (done.code, len(done.out)) == (0, 1), done  # a slow fit tells of itself on stderr
    result = json.loads(done.out[0])
    assert (result["share"], result["trained"], list(result["left"])) == (
        "f.nsh", True, ["gneiss", "slate"]
    )  # fmt: skip
    assert [one["asset"] for one in result["sets"]] == [
        "gneiss_mips/gneiss.nsh", "slate_mips/slate.nsh"
    ]  # fmt: skip


@pytest.mark.slow
def test_single_maps_use_it(run, device, rocks):
    run("fit", "mipmaps", "gneiss", "slate", "--share", "f.nsh", "--quiet", *FEW)
    flags = ["--albedo", "basalt/albedo.png", "--normal", "basalt/normal_gl.png", "--roughness",
             "basalt/roughness.png"]  # fmt: skip
    done = run("fit", "mipmaps", *flags, "--share", "f.nsh", "-o", "out", "--quiet", *USED)
    assert (done.code, done.out, done.err) == (0, [], [])
    assert (rocks / "out/basalt.nsh").exists()


@pytest.mark.parametrize("arguments, message", [
    (["gneiss", "--share", "f.nsh"], "f.nsh: got no such file and 1 set, need a family's file, or "
                                     "two sets or more to train one from. Check the path."),
    (["gneiss", "gneiss/", "--share", "f.nsh"], "gneiss/: got a set named gneiss like gneiss, need "
     "another name, as its levels go by that. Rename it, or fit it by itself."),
    (["gneiss", "none", "--share", "f.nsh"], "none: got no such file or folder, need a folder of "
     "maps or a .json manifest. Check the path, or give each map by itself."),
    (["gneiss", "slate", "--share", "gneiss/albedo.png"], "gneiss/albedo.png: got the input "
     "gneiss/albedo.png itself as output, need another file. Choose another path."),
])  # fmt: skip
def test_refused_in_one_line(refused, rocks, arguments, message):
    assert refused("fit", "mipmaps", *arguments) == message


@pytest.mark.parametrize("arguments, message", [
    (["gneiss", "slate"], "got 2 sources without --share, need one."),
    (["gneiss", "slate", "--share", "f.nsh", "--live"], "--live shows one fit, and --share may "
                                                        "have many: leave one out."),
])  # fmt: skip
def test_misuse(refused, rocks, arguments, message):
    said = refused("fit", "mipmaps", *arguments, code=2)
    assert said == f"{message} See neuralshade fit mipmaps --help."
