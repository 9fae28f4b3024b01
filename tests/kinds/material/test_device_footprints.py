"""kinds/material/device_footprints: means over texels of mip levels, drawn on the device."""

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.device_footprints import DeviceFootprints
from neuralshade.kinds.material.footprints import Footprints
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.kinds.material.samples import MaterialSampler

BATCH = 4096
SIDES = (8, 4, 2, 1)
# Light that says where it is: u and v, and a cosine over both.
WHERE = """
float3 eval(float2 uv, float3 wi, float3 wo)
{
    return float3(uv, 0.5f + 0.5f * cos(6.2831853f * (uv.x + uv.y)));
}
void parameters(float2 uv, out float values[2]) { values = { uv.x, uv.y }; }
float3 emission(float2 uv, float3 wo) { return float3(0.0f); }
"""


@pytest.fixture(scope="module")
def where(painted):
    return ReferenceKernels(painted.gpu, ReferenceBsdf("where", WHERE, ("u", "v"), {}))


def footprints(reference, wraps=True):
    sampler = MaterialSampler(reference, BATCH, 0.5, torch.Generator().manual_seed(0))
    return DeviceFootprints(sampler, SIDES, wraps=wraps, seed=3, device=torch.device("cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("wraps", [True, False])
def test_means_are_those_of_footprints(where, wraps):
    """Of as many points, drawn elsewhere, and of many more; nowhere is there a bias."""
    drawn = footprints(where, wraps).draw()
    level = drawn.at[:, 2].long()
    width = 1 / torch.tensor(SIDES, dtype=torch.float32)[level]
    asked = drawn.at[:, :2], width, drawn.wi.t(), drawn.wo.t()
    rng = torch.Generator().manual_seed(1)
    exact = Footprints(where, wraps, points=1024).mean(*asked, rng)
    again = Footprints(where, wraps).mean(*asked, rng)
    for number in range(len(SIDES)):
        here = level == number
        error, usual = drawn.target.t()[here] - exact[here], again[here] - exact[here]
        spread = usual.std(0)
        assert (error.std(0) < 1.3 * spread + 1e-4).all(), number
        assert (error.mean(0).abs() < 5 * spread / here.sum() ** 0.5 + 1e-3).all(), number


def test_levels_are_drawn_by_their_sides(where):
    level = footprints(where).draw().at[:, 2].numpy()
    for number, side in enumerate(SIDES):
        share = side / sum(SIDES)
        assert np.mean(level == number) == pytest.approx(share, abs=5 * (share / BATCH) ** 0.5)


def test_a_step_draws_what_is_its_own(where):
    ahead, again = footprints(where), footprints(where)
    first, second = ahead.draw(), ahead.draw()
    again.step = 1
    other = again.draw()
    for one, same in ((second.at, other.at), (second.wi, other.wi), (second.target, other.target)):
        assert torch.equal(one, same)
    assert not torch.equal(first.at, second.at) and again.step == 2
    seen = first.seen
    assert (first.wi[2, seen] > 0).all() and (first.wo[2, seen] > 0).all()
    assert 0.97 < seen.float().mean() < 1


def test_what_is_no_number_is_told_with_its_place(painted):
    broken = WHERE.replace("float3(uv, ", "float3(log(uv - 0.5f), ")
    reference = ReferenceKernels(painted.gpu, ReferenceBsdf("broken", broken, ("u", "v"), {}))
    with pytest.raises(ConfigError, match=r"broken: eval is not finite at uv \[0\."):
        footprints(reference).draw()
