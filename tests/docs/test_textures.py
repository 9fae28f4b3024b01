"""docs/textures.md: what it types and runs works, and its shader says what PyTorch says."""

import pathlib
import re
import shutil

import numpy as np
import pytest
import torch

from neuralshade.cli.main import main
from neuralshade.kinds.textures.sample import TextureSetField

PAGE = (pathlib.Path(__file__).parents[2] / "docs/textures.md").read_text()
SECTIONS = ("Decode to files", "In a shader")
ENTRY = """
RWStructuredBuffer<float> drawn;

[shader("compute")]
[numthreads(32, 1, 1)]
void draw(uint3 thread : SV_DispatchThreadID)
{
    float3 color = albedo_srgb(float2(thread.x + 0.5f, 0.5f) / 32.0f, 0, 0.5f);
    for (int i = 0; i < 3; ++i)
        drawn[3 * thread.x + i] = color[i];
}
"""


def fences(title, language):
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch, fitted_set):
    """Be in a folder with the page's asset."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(fitted_set.asset, "bricks.nsh")
    return tmp_path


def test_commands_run(folder):
    lines = "".join(fences("Decode to files", "sh")).splitlines()
    assert len(lines) == 3
    for line in lines:
        words = line.split()
        assert words.pop(0) == "neuralshade"
        main(words)
    made = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert {"bricks/albedo.dds", "bricks_png/normal_2.png", "corner/metallic.ktx2"} <= made


def test_python_runs(folder, capsys):
    for title in SECTIONS:
        for text in fences(title, "python"):
            exec(text, {})
    assert capsys.readouterr().out.startswith("torch.Size([1000, 3]) torch.Size([1000, 3])\nalbedo")


def test_latents_that_are_textures(tmp_path, monkeypatch, block_set, device):
    """Its asset is decoded as typed, and the shader compiles with what the Python says."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(block_set.asset, "bricks_bc1.nsh")
    title, names = "Latents that are BC1 textures", {}
    typed = "".join(fences(title, "sh")).splitlines()
    for line in typed:
        words = line.partition(" #")[0].split()
        if words[1] == "decode":
            main(words[1:])
    assert len(typed) == 3 and (tmp_path / "bricks_bc1/decoder.json").exists()
    exec(fences(title, "python")[0], names)
    text = names["shader"] + "".join(fences(title, "slang"))
    assert device.load_module_from_source("bricks_of_the_page", text).name == "bricks_of_the_page"
    assert names["weights"].dtype == np.uint32


def test_the_shader_draws(folder, dispatch, capsys):
    names = {}
    exec(fences("In a shader", "python")[1], names)
    text = names["shader"] + "".join(fences("In a shader", "slang")) + ENTRY
    run = dispatch(text, {"latents": names["latents"], "weights": names["weights"],
                          "drawn": np.zeros(96, np.float32)})  # fmt: skip
    run.run(("draw", 1))
    uv = torch.stack([torch.arange(32) + 0.5, torch.full((32,), 0.5)], dim=1) / 32
    maps = TextureSetField("bricks.nsh")(uv, 0, "stochastic", torch.full((32, 2), 0.5))
    drawn = run.read("drawn", np.float32, 96).reshape(32, 3)
    np.testing.assert_allclose(drawn, maps["albedo"], atol=1e-4)  # sums in another order
