"""kinds/material/references/reference_bsdf: evaluation on a device."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from fixtures.small_material import DARK, PAINT, TOLD, drawn_directions, paint

from neuralshade.errors import ConfigError, KernelError
from neuralshade.kinds.material.device_footprints import DeviceFootprints
from neuralshade.kinds.material.device_samples import DeviceBatches, DeviceSamples
from neuralshade.kinds.material.references import reference_bsdf as module
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference, reference_digest
from neuralshade.kinds.material.references.varied_reference import vary_reference
from neuralshade.kinds.material.samples import MaterialSampler

BROKEN = "float3 eval(float2 uv, float3 wi, float3 wo) { return float3(1.0f / max(uv.x, 0.0f)); }"
BELOW = """
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return float3(0.5f, uv.x > 0.2f ? -1.0f : -0.0005f, 0.5f) * wi.z;
}
"""

CPU = torch.device("cpu")
OWN_NAMES = """
static const float LOWEST = 0.5f;
static const uint seed = 7u, WORDS = 4u, batch = 2u, count = 3u, VARIED = 1u;
float answer(float x) { return x * LOWEST; }
float3 evaluate(float3 x) { return x * answer(1.0f); }
float3 emit(float3 x) { return x; }
float3 samples(float2 uv) { return float3(uv, 0.5f); }
float3 states(float3 x) { return x; }
float3 hemisphere(float2 u) { return float3(u, 1.0f); }
float rare(float x) { return x; }
float normal_of(float2 uv) { return uv.x; }
float3 asked(float3 x) { return x; }
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return evaluate(asked(states(samples(uv)))) * max(wi.z, 0.0f);
}
"""


def asked(count, seed=0):
    uv = np.random.default_rng(seed).random((count, 2), np.float32)
    return uv, drawn_directions(count, seed + 1), drawn_directions(count, seed + 2)


def test_it_says_what_its_text_computes(painted, monkeypatch):
    """Of more samples than one dispatch takes, too."""
    samples = asked(module.AT_ONCE + 100)
    found = painted.eval(*samples)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, paint(*samples), rtol=2e-4, atol=1e-6)
    assert painted.eval(*(part[:0] for part in samples)).shape == (0, 3)
    assert not painted.emission(samples[0][:5], samples[2][:5]).any()


def test_rows_of_a_map_go_down_with_v(painted):
    found = painted.parameter_map(4, 3)
    assert found.shape == (3, 4, 2)
    stripe = 0.5 + 0.5 * np.sin(2 * np.pi * (np.arange(4) + 0.5) / 4)
    np.testing.assert_allclose(found[..., 0], np.tile(stripe, (3, 1)), atol=1e-5)
    np.testing.assert_allclose(found[:, 0, 1], 0.2 + 0.3 * (np.arange(3) + 0.5) / 3, atol=1e-6)


def test_what_is_not_finite_is_told_with_its_place(gpu, tmp_path, refusal):
    (tmp_path / "x.slang").write_text(BROKEN)
    kernels = ReferenceKernels(gpu, load_reference(tmp_path / "x.slang"))
    uv, wi, wo = asked(3)
    uv[1] = 0, 0.2449
    message = refusal(ConfigError, kernels.eval, uv, wi, wo)
    assert message.startswith("x.slang: eval is not finite at uv [0.0, 0.2449], wi [")
    assert "(and 0 more of 3 places)" in message


def test_what_is_not_finite_of_a_probe_is_told_as_light(gpu, tmp_path, refusal):
    """With the probe's directions: parameters are nothing that the module has."""
    (tmp_path / "x.slang").write_text(BROKEN.replace("1.0f /", "(wi.x < 0.5f) ? 1.0f : 1.0f /"))
    kernels = ReferenceKernels(gpu, load_reference(tmp_path / "x.slang"))
    message = refusal(ConfigError, kernels.parameters, np.float32([[0.5, 0.5], [0, 0.2449]]))
    assert message.startswith("x.slang: eval is not finite at uv [0.0, 0.2449], wi [0.6, 0.0, 0.8],"
                              " wo [-0.6, 0.0, 0.8] (and 3 more of 16 places)")  # fmt: skip
    (tmp_path / "x.slang").write_text(
        BROKEN + "void parameters(float2 uv, out float v[1]) { v[0] = log(uv.x); }"
    )
    kernels = ReferenceKernels(gpu, load_reference(tmp_path / "x.slang"))
    message = refusal(ConfigError, kernels.parameters, np.float32([[0, 0.2449]]))
    assert message.startswith("x.slang: parameters is not finite at uv [0.0, 0.2449] (and 0 more")


def test_what_does_not_compile_is_told_by_its_file_and_line(gpu, tmp_path):
    """Where it takes in a file beside it, and where an input is varied, too."""
    (tmp_path / "x.slangh").write_text("float two() { return 2.0f; }")
    text = f'#include "x.slangh"\nuniform float w;\n\n{BROKEN}'
    (tmp_path / "x.slang").write_text(text)
    good = load_reference(tmp_path / "x.slang")
    (tmp_path / "x.slang").write_text(text.replace("1.0f /", "two() / nothing *"))
    plain = replace(good, text=good.text.replace("1.0f /", "two() / nothing *"))
    compiled = (lambda: ReferenceKernels(gpu, plain).eval(*asked(1)),
                lambda: ReferenceKernels(gpu, vary_reference(plain, "w=0..1")).eval(*asked(1)),
                lambda: load_reference(tmp_path / "x.slang"))  # fmt: skip
    for compile_ in compiled:
        with pytest.raises(KernelError) as caught:
            compile_()
        message = str(caught.value)
        assert message.startswith("x.slang: got Slang text that does not compile, need one that ")
        assert "x.slang:4:70" in message and "neuralshade_" not in message


def test_light_below_0_is_refused_and_what_rounding_left_is_0(gpu, tmp_path, refusal):
    """MaterialX subtracts what shines by itself; more than that is the user's to mend."""
    (tmp_path / "x.slang").write_text(BELOW)
    kernels = ReferenceKernels(gpu, load_reference(tmp_path / "x.slang"))
    uv, wi, wo = np.float32([[0.4, 0.5]]), np.float32([[0, 0, 1]]), np.float32([[0.6, 0, 0.8]])
    assert kernels.eval(0 * uv, wi, wo).tolist() == [[0.5, 0, 0.5]]
    message = refusal(ConfigError, kernels.eval, uv, wi, wo)
    assert message.startswith(
        "x.slang: eval is below 0 at uv [0.4, 0.5], wi [0.0, 0.0, 1.0], wo [0.6, 0.0, 0.8] (and 0 "
        "more of 1 places), need light of 0 or more."
    )
    sampler = MaterialSampler(kernels, 64, 0.5, torch.Generator().manual_seed(0))
    batches = DeviceBatches(DeviceSamples(kernels.gpu, kernels, sampler, 64, 7), CPU)
    assert refusal(ConfigError, batches.draw).startswith("x.slang: eval is below 0 at uv [0.")


def test_a_module_without_parameters_is_probed(gpu, painted, tmp_path):
    """By what it scatters: two places that scatter alike have equal values."""
    (tmp_path / "paint.slang").write_text(PAINT)
    reference = load_reference(tmp_path / "paint.slang")
    kernels = ReferenceKernels(gpu, reference)
    samples = asked(50)
    np.testing.assert_array_equal(kernels.eval(*samples), painted.eval(*samples))
    uv = np.array([[0.1, 0.3], [0.4, 0.3], [0.1, 0.6]], np.float32)  # the first two: one stripe
    found = kernels.parameters(uv)
    assert found.shape == (3, len(reference.parameters))
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
    assert np.abs(found[0] - found[2]).max() > 0.1


def test_names_of_a_module_are_its_own(painted, tmp_path):
    """Those that our kernels' text had once, which an artist's shader may well have, too."""
    path = tmp_path / "own.slang"
    path.write_text(OWN_NAMES)
    kernels = ReferenceKernels(painted.gpu, load_reference(path))
    uv, (wi, wo) = drawn_directions(64, 3)[:, :2] % 1, (drawn_directions(64, i) for i in (4, 5))
    found = kernels.eval(uv, wi, wo)
    np.testing.assert_allclose(found, 0.5 * np.c_[uv, np.full(64, 0.5)] * wi[:, 2:].clip(0), 1e-4)
    sampler = MaterialSampler(kernels, 64, 0.5, torch.Generator().manual_seed(0))
    batch = DeviceBatches(DeviceSamples(kernels.gpu, kernels, sampler, 64, 7), CPU).draw()
    exact = kernels.eval(*(x.numpy() for x in (batch.uv, batch.wi.t(), batch.wo.t())))
    np.testing.assert_allclose(batch.target.t().numpy(), exact, rtol=1e-4)
    footprints = DeviceFootprints(sampler, (2, 1), wraps=True, seed=3, device=CPU)
    assert footprints.draw().target.isfinite().all()


def test_what_a_module_says_of_itself_is_read(gpu, tmp_path):
    (tmp_path / "paint.slang").write_text(PAINT + TOLD + DARK)
    reference = load_reference(tmp_path / "paint.slang")
    assert len(reference.parameters) == 2
    found = ReferenceKernels(gpu, reference).parameters(np.array([[0.25, 1.0]], np.float32))
    np.testing.assert_allclose(found, [[1.0, 0.5]], atol=1e-5)


@pytest.mark.parametrize("name, text, said", [
    ("x.slang", "// float3 eval(float2 uv, float3 wi, float3 wo)", "need float3 eval(float2 uv"),
    ("x.slang", BROKEN + "void parameters(float2 uv, out float v[N]) {}", "got values[N], need a"),
    ("x.slang", BROKEN + "void parameters(float2 uv, out float v[0]) {}", "got values[0], need a"),
    ("x.png", "", "got a file that ends with '.png', need .mtlx, .slang, .toml"),
])  # fmt: skip
def test_what_is_no_reference_is_refused(tmp_path, refusal, name, text, said):
    (tmp_path / name).write_text(text)
    assert said in refusal(ConfigError, load_reference, tmp_path / name)


@pytest.mark.parametrize("given", ["", None, 3])
def test_what_is_no_path_is_refused(refusal, given):
    """An empty one was the folder at hand."""
    said = refusal(ConfigError, load_reference, given)
    assert said.startswith(f"material: got {given!r}, need the path of a material. Name a file")


def test_missing_and_binary_files_are_refused(tmp_path, refusal):
    (tmp_path / "x.slang").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8, need Slang text" in refusal(
        ConfigError, load_reference, tmp_path / "x.slang"
    )
    assert "need a .slang file" in refusal(ConfigError, load_reference, tmp_path / "y.slang")
    (tmp_path / "x.slang").write_text(BROKEN)
    said = refusal(ConfigError, load_reference, tmp_path / "x.slang", "Gold")
    assert said.startswith("element: got 'Gold' for a Slang module")


def test_a_digest_tells_text_and_pictures_apart():
    plain = ReferenceBsdf("a", "x", (), {"words": np.zeros(3, np.uint32)})
    assert reference_digest(plain) == reference_digest(ReferenceBsdf("b", "x", (), plain.variables))
    others = (ReferenceBsdf("a", "y", (), plain.variables),
              ReferenceBsdf("a", "x", (), {"words": np.ones(3, np.uint32)}))  # fmt: skip
    assert len({reference_digest(one) for one in (plain, *others)}) == 3


def test_digests_of_earlier_assets_still_hold():
    """Assets store them: other names in the generated text leave them as they are."""
    celadon = Path(__file__).parents[4] / "examples/material/celadon.toml"
    assert reference_digest(load_reference(celadon)) == (
        "e6f4d01c2996b5586fbb4675f72cda7a7377bcc37df2013e48aeb2f4b18f1d74"
    )
