"""engine/network_trainer: the same samples take both engines to the same numbers."""

import math

import numpy as np
import pytest
import torch

from neuralshade.kinds.image.engine import TorchImageEngine
from neuralshade.sampler.draw import PixelLattice

GAINS_DB = {"rtxns": 1.5, "tiny-9": 0.05}  # over one color, after 100 steps


def test_steps_are_those_of_the_reference(pairs, name, far):
    pair = pairs(name)
    gpu, host = pair.gpu, pair.host
    assert max(far(gpu.state(), host.state()).values()) == 0.0
    assert gpu.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-5)
    first = far(gpu.state(), host.state())
    assert max(first.values()) < 2e-4, first
    assert gpu.advance([0.5, 1.0]) == pytest.approx(host.advance([0.5, 1.0]), rel=1e-4)
    third = far(gpu.state(), host.state())
    assert max(third.values()) < 2e-3, third


@pytest.mark.slow
def test_rounding_by_extents_of_the_step_before_learns_the_same(gpu, pair_of, far):
    pair = pair_of(gpu, "grid", "fma")
    losses = [(pair.gpu.advance([1.0]), pair.host.advance([1.0])) for _ in range(12)]
    assert losses[0][0] == pytest.approx(losses[0][1], rel=1e-5)  # begins with exact ones
    for ours, theirs in losses[1:]:
        assert ours == pytest.approx(theirs, rel=0.05)
    assert losses[-1][0] == pytest.approx(losses[-1][1], rel=0.01)


def lattice(host: TorchImageEngine) -> PixelLattice:
    """Return all pixels."""
    return PixelLattice(torch.arange(host.target.height), torch.arange(host.target.width))


def all_pixels(host: TorchImageEngine) -> torch.Tensor:
    seen = lattice(host)
    return host.target.at_lattice(seen.rows, seen.cols)


def pixel_centers(host: TorchImageEngine) -> torch.Tensor:
    height, width = host.target.height, host.target.width
    row, col = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([(col + 0.5) / width, (row + 0.5) / height], dim=-1).reshape(-1, 2)


def psnr_db(drawn: torch.Tensor, wanted: torch.Tensor) -> float:
    return -10 * math.log10(float((drawn - wanted).square().mean()))


def host_psnr_db(host: TorchImageEngine) -> float:
    wanted = all_pixels(host)
    with torch.no_grad(), host.averaged():
        return psnr_db(host.field(pixel_centers(host)).t(), wanted)


# steps are those of the reference with each recipe above: so is what a hundred of them learn
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "grid",
        "tiny-9",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("lake", "rtxns", "hash")),
    ],
)
def test_quality_is_that_of_the_reference(gpu, pairs, name, path, pair_of, begun_anew):
    """Rounding drives the two apart; what they learn is as good."""
    # extents of the step before move so short a fit of 8 bits by up to 1 dB, either way
    exact = name == "hash"
    pair = pairs(name) if path == "fma" else pair_of(gpu, name, path, exact)
    host = begun_anew(pair)  # one that has not begun
    factors = list(np.linspace(1.0, 0.1, 100))
    losses = pair.gpu.advance(factors), host.advance(factors)
    drawn, wanted = pair.gpu.preview(lattice(host))
    torch.testing.assert_close(wanted, all_pixels(host))
    flat = -10 * math.log10(float(wanted.var()))  # of one color, the best
    assert psnr_db(drawn, wanted) > flat + GAINS_DB.get(name, 3)
    assert psnr_db(drawn, wanted) == pytest.approx(host_psnr_db(host), abs=0.3)
    assert losses[0] == pytest.approx(losses[1], rel=0.1)
    assert pair.gpu.skipped == host.skipped == 0


MORE = [pytest.param(n, marks=pytest.mark.slow) for n in ("lake", "hash")]  # as in conftest.py


@pytest.mark.parametrize("name", ["grid", *MORE])
def test_what_is_drawn_is_what_the_field_gives(pairs, name):
    """Of the averaged numbers where there are any, rounded as the asset will be."""
    pair = pairs(name)
    pair.gpu.advance([1.0] * 5)
    drawn, _ = pair.gpu.preview(lattice(pair.host))
    with pair.gpu.averaged(), torch.no_grad():
        wanted = pair.gpu.field(pixel_centers(pair.host)).t()
        key = next(iter(dict(pair.gpu.field.named_parameters())))
        held = dict(pair.gpu.field.named_parameters())[key].clone()
    np.testing.assert_allclose(drawn, wanted, rtol=1e-3, atol=2e-4)
    trained = pair.gpu.state()["field." + key]
    assert torch.equal(held, trained) == (name == "lake")  # which keeps no mean


@pytest.mark.parametrize("name", ["grid", MORE[1]])
def test_the_reference_goes_on_where_the_device_stopped(pairs, name, far, begun_anew):
    pair = pairs(name)
    pair.gpu.advance([1.0] * 3)
    kept = pair.gpu.state()
    host = begun_anew(pair)
    host.advance([0.0] * 3)  # its samples come from the fourth step on then
    host.load_state(kept)
    assert max(far(host.state(), kept).values()) == 0.0
    assert pair.gpu.advance([1.0]) == pytest.approx(host.advance([1.0]), rel=1e-5)
    assert max(far(pair.gpu.state(), host.state()).values()) < 1e-3
