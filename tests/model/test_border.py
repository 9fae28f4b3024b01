"""model/border: what stands beyond a border, and that no kernel leaves it to the driver."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.gpu.gpu import run_once
from neuralshade.gpu.slang_export import export_slang
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, reference_kernel
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.model.border import within

KERNEL = """
import neuralshade.model.border;
StructuredBuffer<int4> asked; // at and size
RWStructuredBuffer<int4> answered;

[shader("compute")]
[numthreads(64, 1, 1)]
void ask(uint index : SV_DispatchThreadID)
{
    int4 one = asked[index];
    answered[index] = int4(within(one.xy, one.zw, true), within(one.xy, one.zw, false));
}
"""
PHOTO = Path(__file__).parents[1] / "data/photo.png"
NOISES = ("fractal", "cells", "cracks", "spots", "scratches", "weave")
UNDEFINED = ("OpSRem", "OpSMod")  # of negative numbers, says the Vulkan specification


@pytest.fixture
def asked():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 5000, (256, 2))
    return np.concatenate([rng.integers(-3 * sizes, 3 * sizes), sizes], 1).astype(np.int32)


def wanted(asked):
    at, size = asked[:, :2], asked[:, 2:]
    return np.concatenate([np.mod(at, size), np.clip(at, 0, size - 1)], 1)


def test_a_device_finds_what_stands_beyond(gpu, asked):
    answers = gpu.buffer(size=asked.nbytes)
    bound = {"asked": gpu.buffer(asked), "answered": answers}
    run_once(gpu, [(gpu.kernel(KERNEL, "ask", bound), len(asked) // 64)])
    found = answers.read().view(np.int32).reshape(asked.shape)
    np.testing.assert_array_equal(found, wanted(asked))


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4))
def test_a_host_finds_the_same(at, size):
    both, sides = torch.tensor([[at, -at]]), torch.tensor([[size, size + 3]])
    found = [within(both, sides, wraps) for wraps in (True, False)]
    given = np.array([[at, -at, size, size + 3]])
    np.testing.assert_array_equal(torch.cat(found, 1).numpy(), wanted(given))


def test_what_vulkan_leaves_open_is_in_no_material(gpu, tmp_path):
    masks = "".join(f'{name} = {{ noise = "{name}", scale = [3, 5], warp = 0.05 }}\n'
                    for name in NOISES)  # fmt: skip
    layers = "".join(f'[[layer]]\nkind = "diffuse"\ncolor = [0, 0, 0]\nmask = "{name}"\n'
                     for name in NOISES)  # fmt: skip
    base = (f'[[layer]]\nkind = "diffuse"\ncolor = "{PHOTO}"\n'
            "flakes = { scale = 9, tilt = 0.1 }\n")  # fmt: skip
    (tmp_path / "x.toml").write_text(f"[mask]\n{masks}{base}{layers}")
    kernels = ReferenceKernels(gpu, load_stack(tmp_path / "x.toml"))
    whole = kernels._with_reference(reference_kernel("reference_evaluate"))
    code = export_slang(whole.text, whole.entry, "spirv-asm").code
    assert "OpUMod" in code and not [name for name in UNDEFINED if name in code]
