"""A stack says on a device what Slang's CPU target says, whose C++ is compiled with exact math."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.small_material import upper_pairs

from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels, reference_kernel
from neuralshade.kinds.material.references.sources import load_reference

EXAMPLES = Path(__file__).parents[4] / "examples/material"
COUNT = 2**14  # whole groups: on a CPU nothing stands between buffers
BRIGHT = 1.0  # on screen no light is brighter


def asked(kernels):
    """Return rows of places and directions: half anywhere, half around mirrored ones."""
    uv, wi, wo = upper_pairs(COUNT)
    near = np.random.default_rng(1).normal(0, 0.1, (COUNT // 2, 3)) - wo[: COUNT // 2] * [1, 1, -1]
    near[:, 2] = np.abs(near[:, 2]) + 1e-3
    wi[: COUNT // 2] = near / np.linalg.norm(near, axis=1, keepdims=True)
    return kernels._rows(uv, wi, wo)


@pytest.mark.parametrize("name", ["antique_copper", "car_paint", "celadon", "velvet", "worn_paint"])
def test_a_stack_scatters_the_same_on_every_device(gpu, on_cpu, name):
    kernels = ReferenceKernels(gpu, load_reference(EXAMPLES / f"{name}.toml"))
    rows = asked(kernels)
    text = kernels._with_reference(reference_kernel("reference_evaluate")).text
    given = {"reference_queries": rows, **kernels.bsdf.variables}
    wanted = on_cpu(text, "reference_evaluate", given, "reference_results",
                    np.zeros((COUNT, 3), np.float32), COUNT)  # fmt: skip
    found = kernels.eval(rows[:, :2], rows[:, 2:5], rows[:, 5:8])
    off = np.minimum(found, BRIGHT) - np.minimum(wanted, BRIGHT)
    assert np.minimum(wanted, BRIGHT).mean() > 0.01
    assert np.sqrt(np.mean(off**2)) < 2e-4  # 2e-5 of the sharpest in software, 5e-7 of the others
