"""What a command loads: no other kind, nothing heavy for help, and not too much of our own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
COMPILER = "torch._dynamo"  # of PyTorch: 3 s to load, which a negation on the meta device does
DEFERRED = "torch._decomp"  # a third of PyTorch's own time comes with it
HEAVY = ("torch", DEFERRED, "numpy", "slangpy", "OpenImageIO", "rich", "sympy", COMPILER)
LOADED = """
import json, sys
{code}
ours = [n for n, m in sys.modules.items() if n.split(".")[0] == "neuralshade"]
modules = [n for n in ours if not hasattr(sys.modules[n], "__path__")]  # folders aside
print(json.dumps({{"modules": modules, "heavy": [n for n in {heavy} if n in sys.modules]}}))
"""
COMMAND = """
from neuralshade.cli.main import main
try:
    main({arguments})
except SystemExit:
    pass
"""
PROCESS = """
import os
from neuralshade import __main__

class Left(BaseException): pass
def leave(code): raise Left

os._exit, sys.argv = leave, ["neuralshade", *{arguments}]
try:
    __main__.main()
except Left:
    pass
"""
FIT = """
import neuralshade
options = neuralshade.FitOptions({options})
neuralshade.fit_image({picture!r}, {asset!r}, steps=1, hidden_width=8, options=options,
                      encoding="identity")
"""


def loaded(code):
    """Return what a new interpreter loads for ``code``; the last line that it prints tells."""
    text = LOADED.format(code=code, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def others(modules, kind):
    """Return those of other kinds; what all of them share lies beside their folders."""
    parts = [name.split(".") for name in modules if name.startswith("neuralshade.kinds.")]
    return [".".join(p) for p in parts if len(p) > 3 and p[2] != kind]


@pytest.mark.parametrize("arguments", [["--help"], ["fit", "--help"], ["fit", "image", "--help"]])
def test_help_loads_nothing_heavy(arguments):
    found = loaded(COMMAND.format(arguments=arguments))
    assert found["heavy"] == [] and len(found["modules"]) <= 50


def test_a_bad_setting_is_refused_before_what_fits_is_loaded():
    """Nobody waits seconds for it, or reads that the fit starts.

    Nor for other kinds, which only a file of defaults may name, or for bars without a terminal.
    """
    arguments = ["fit", "image", str(DATA / "photo.png"), "--loss", "l3", "--steps", "1"]
    found = loaded(COMMAND.format(arguments=arguments))
    assert found["heavy"] == ["numpy"] and others(found["modules"], "image") == []


@pytest.mark.parametrize("arguments", [
    ["fit", "image", "no.png"], ["fit", "splats", "no.png"], ["fit", "textures", "no"],
    ["fit", "mipmaps", "no"], ["fit", "material", "no.toml"], ["fit", "material", "no.mtlx"],
    ["fit", "shader", "no.slang"], ["fit", "image", str(DATA / "photo.png"), "-o", "x.png"],
    ["fit", "image", str(DATA / "photo.png"), "--report", "x.nsh"],
    ["fit", "image", str(DATA / "photo.png"), "--live", "--port", "99999"], ["view", "no.nsh"],
    ["view", "--port", "-1"], ["info", "no.nsh"], ["evaluate", "no.nsh", "no.png"],
    ["render", "no.nsh", "-o", "x.png"], ["render", str(DATA / "image_grid.nsh"), "-o", "x.xyz"],
    ["report", "no.nsh", "no.png"], ["decode", "no.nsh", "-o", "x"], ["export", "no.nsh"],
])  # fmt: skip
def test_what_cannot_be_is_refused_before_pytorch_is_loaded(arguments, tmp_path, monkeypatch):
    """Half a second of a CPU, where it took more than four."""
    monkeypatch.chdir(tmp_path)
    found = loaded(COMMAND.format(arguments=arguments))
    assert not {"torch", "slangpy"} & {*found["heavy"]}
    assert not list(tmp_path.iterdir())


# a process each, most of whose time loads PyTorch
OTHERS = [("image_grid", "image"), ("splats_sum", "splats"), ("mipmaps", "mipmaps"),
          ("textures", "textures"), ("shader", "shader"), ("material", "material")]  # fmt: skip


@pytest.mark.slow  # the fit below is quick
@pytest.mark.parametrize("name, kind", OTHERS)
def test_info_loads_one_kind(name, kind):
    found = loaded(f"import neuralshade\nneuralshade.info({str(DATA / name)!r} + '.nsh')")
    assert others(found["modules"], kind) == [] and COMPILER not in found["heavy"]
    assert len(found["modules"]) <= 84


# kinds whose tensors' forms need no modules of PyTorch
LIGHT = ["splats_sum", "splats_over", "splats_normalized", "mipmaps", "mip_family", "shader",
         "textures", "material", "image.checkpoint", "textures.checkpoint"]  # fmt: skip


@pytest.mark.parametrize("how", [[], ["--json"], ["--toml"]])
@pytest.mark.parametrize("name", LIGHT)
def test_info_loads_no_pytorch(name, how):
    """A third of a second of a CPU, where it took two."""
    found = loaded(COMMAND.format(arguments=["info", str(DATA / f"{name}.nsh"), *how]))
    assert not {"torch", "slangpy"} & {*found["heavy"]}


@pytest.mark.parametrize("engine", ["torch", pytest.param("gpu", marks=pytest.mark.slow)])
def test_a_fit_leaves_parts_of_pytorch_out(request, tmp_path, engine):
    on = ["--engine", engine]
    if engine == "gpu":
        request.getfixturevalue("device")
        on += ["--device", "vulkan"]
    arguments = ["fit", "image", str(DATA / "photo.png"), "-o", str(tmp_path / "x.nsh"), *on,
                 "--steps", "1", "--hidden-width", "8", "--encoding", "identity",
                 "--quiet"]  # fmt: skip
    found = loaded(PROCESS.format(arguments=arguments))
    assert "torch" in found["heavy"] and not {DEFERRED, COMPILER} & {*found["heavy"]}


ON_GPU = pytest.param("engine='gpu', device='vulkan'", marks=pytest.mark.slow)  # compiles anew


@pytest.mark.slow
@pytest.mark.parametrize("options", ["engine='torch'", ON_GPU])
def test_a_fit_loads_one_kind(request, tmp_path, options):
    if "gpu" in options:
        request.getfixturevalue("device")
    found = loaded(FIT.format(options=options, picture=str(DATA / "photo.png"),
                              asset=str(tmp_path / "x.nsh")))  # fmt: skip
    assert others(found["modules"], "image") == [] and "sympy" not in found["heavy"]
    assert len(found["modules"]) <= 128
