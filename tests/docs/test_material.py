"""docs/material.md: its shader says what the opened asset says, and its Python runs."""

import pathlib
import re
import shutil

import numpy as np
import pytest
from fixtures.small_material import paint_teacher, upper_pairs

import neuralshade
from neuralshade.gpu.gpu import run_once

PAGE = (pathlib.Path(__file__).parents[2] / "docs/material.md").read_text()
COUNT = 64
ENTRY = """
StructuredBuffer<float> asked;
RWStructuredBuffer<float> answers;

[shader("compute")]
[numthreads(64, 1, 1)]
void ask(uint sample : SV_DispatchThreadID)
{
    float3 wi = float3(asked[8u * sample + 2u], asked[8u * sample + 3u], asked[8u * sample + 4u]);
    float3 wo = float3(asked[8u * sample + 5u], asked[8u * sample + 6u], asked[8u * sample + 7u]);
    float3 found = scattered(float2(asked[8u * sample], asked[8u * sample + 1u]), wi, wo);
    let way = drawn(float2(asked[8u * sample], asked[8u * sample + 1u]), wo, abs(wi));
    for (uint i = 0u; i < 3u; ++i)
    {
        answers[8u * sample + i] = found[i];
        answers[8u * sample + 3u + i] = way.wi[i];
    }
    answers[8u * sample + 6u] = way.pdf;
    answers[8u * sample + 7u] =
        density(float2(asked[8u * sample], asked[8u * sample + 1u]), wi, wo);
}
"""


@pytest.fixture(scope="module")
def fitted_material(tmp_path_factory, share_device):
    """Return a small material's asset."""
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
        place = tmp_path_factory.mktemp("material") / "copper.nsh"
        return neuralshade.fit_material(paint_teacher(), place, size=8, steps=3, batch=64)


def fence(language):
    section = re.search(r"^## In a shader\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)
    return found


@pytest.mark.slow
def test_python_runs(fitted_material, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copy(fitted_material.asset, "copper.nsh")
    exec(fence("python"), {})
    assert capsys.readouterr().out.startswith("neuralshade.kinds.material.scattering Fitted")


@pytest.mark.slow
def test_the_shader_says_what_the_asset_says(gpu, fitted_material):
    opened = neuralshade.load(fitted_material.asset)
    ready = opened.scattering()
    text, found = re.subn(r"FittedMaterial<.*?>", ready.type, fence("slang"))
    assert found == 1
    uv, wi, wo = upper_pairs(COUNT, 3)
    buffers = {
        "numbers": gpu.buffer(ready.numbers), "words": gpu.buffer(ready.words),
        "asked": gpu.buffer(np.concatenate([uv, wi, wo], 1).astype(np.float32)),
        "answers": gpu.buffer(size=32 * COUNT),
    }  # fmt: skip
    kernel = gpu.kernel(text + ENTRY, "ask", buffers)
    run_once(gpu, [(kernel, 1)])
    got = buffers["answers"].read().view(np.float32).reshape(COUNT, 8)
    np.testing.assert_allclose(got[:, :3], opened.eval(uv, wi, wo), rtol=5e-4, atol=1e-5)
    drawn, density = opened.sample(uv, wo, np.abs(wi))
    np.testing.assert_allclose(got[:, 3:6], drawn, atol=1e-4)
    np.testing.assert_allclose(got[:, 6], density, rtol=5e-3)
    np.testing.assert_allclose(got[:, 7], opened.pdf(uv, wi, wo), rtol=1e-4, atol=1e-5)
