"""engine/network_trainer: steps that are skipped, equal bits, and engines beside each other."""

from contextlib import closing

import numpy as np
import pytest
import torch

from neuralshade.gpu.open import open_gpu
from neuralshade.sampler.draw import device_batch
from neuralshade.source.picture import picture_from_array


def assert_equal_states(
    got: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor], but: tuple[str, ...] = ()
) -> None:
    assert got.keys() == wanted.keys()
    for name in set(wanted) - set(but):
        torch.testing.assert_close(
            got[name], wanted[name], rtol=0, atol=0, equal_nan=True, msg=lambda m, n=name: n + m
        )


@pytest.mark.parametrize("name, planted", [
    ("grid", "0.bias"), ("grid", "2.bias"),
    pytest.param("lake", "0.weight", marks=pytest.mark.slow),
])  # fmt: skip
def test_a_step_that_is_not_finite_changes_counts_alone(gpu, pairs, name, planted):
    """Planted where rounding to 8 bits does not hide it."""
    if planted == "0.bias" and gpu.api == "vulkan" and not gpu.adapter.software:
        pytest.skip("a rectifier may hide it there: see model/activation")
    gpu = pairs(name).gpu
    gpu.advance([1.0, 1.0])
    broken = gpu.state()
    number = f"field.network.layers.{planted}"
    broken[number].view(-1)[0] = torch.nan
    gpu.load_state({key: value.clone() for key, value in broken.items()})
    gpu.advance([1.0, 1.0, 1.0])
    assert gpu.skipped == 3
    after = gpu.state()
    assert_equal_states(after, broken, but=("skipped", "gpu.steps", "gpu.scale"))
    assert after["gpu.scale"] == broken["gpu.scale"] / 8
    assert after["gpu.steps"].tolist() == [5, 2, 0, 3]


@pytest.mark.parametrize("name", ["tiny-9", pytest.param("hash", marks=pytest.mark.slow)])
def test_steps_that_ask_at_a_broken_pixel_are_skipped(gpu, name, pair_of, far):
    """Numbers beyond what float32 squares: of 40 steps those that draw that pixel.

    What such a step left in the sums of gradients must not be found in the next.
    """
    pixels = np.random.default_rng(0).random((8, 8, 3)).astype(np.float32)
    pixels[2, 3] = 3e38
    picture = picture_from_array(pixels, color_space="linear")
    settings = {"picture": picture, "sampling": "pixels", "batch": 24, "loss": "l2"}
    pair = pair_of(gpu, name, "fma", exact=name == "hash", **settings)
    draws = [device_batch("pixels", 24, 8, 8, step, 5) for step in range(40)]
    hits = sum(bool(((d.row == 2) & (d.col == 3)).any()) for d in draws)
    assert 5 < hits < 35
    pair.gpu.advance([0.1] * 40)
    pair.host.advance([0.1] * 40)
    state = pair.gpu.state()
    assert pair.gpu.skipped == pair.host.skipped == hits
    assert state["gpu.scale"] == 64.0 * 0.5**hits
    errors = far(state, pair.host.state())
    # integer sums have fixed steps, so with each halving of the scale they say less
    assert max(errors.values()) < (5e-2 if name == "hash" else 1e-4), errors


@pytest.mark.parametrize("name", ["tiny-9", pytest.param("hash", marks=pytest.mark.slow)])
def test_integer_sums_give_equal_bits(gpu, name, pair_of):
    """And steps submitted in many parts or few are the same."""
    pair = pair_of(gpu, name, "fma", exact=True, batch=500)
    pair.gpu.advance([1.0] * 70)
    once = pair.gpu.state()
    pair.restart()
    for count in (1, 9, 60):
        pair.gpu.advance([1.0] * count)
    assert_equal_states(pair.gpu.state(), once)
    assert once["gpu.steps"].tolist() == [70, 70, 70, 0]


def test_factors_go_around_their_ring(gpu, monkeypatch, pair_of):
    """Steps that nobody waits for, more of them than there is room for."""
    factors = np.linspace(1.0, 0.2, 21).tolist()
    pair = pair_of(gpu, "tiny-9", "fma", exact=True)
    pair.gpu.advance(factors)
    monkeypatch.setattr("neuralshade.engine.step_kernels.RATES", 8)
    monkeypatch.setattr("neuralshade.engine.step_queue.RATES", 8)
    short = pair_of(gpu, "tiny-9", "fma", exact=True).gpu.trainer
    assert short.buffers["rate_ring"].count == 8
    for first in range(0, 18, 3):
        short.submit(factors[first : first + 3])
    short.advance(factors[18:])
    assert_equal_states(short.state(), pair.gpu.state())


def test_an_overflow_of_the_scaled_gradient_spoils_nothing(gpu, path, pair_of):
    """At the largest scale float16 overflows; float32 does not."""
    pair = pair_of(gpu, "rtxns", path)
    state = pair.gpu.state()
    pair.gpu.load_state({**state, "gpu.scale": torch.tensor(2.0**24)})
    pair.gpu.advance([1.0] * 60)
    assert (pair.gpu.skipped > 0) == (path != "fma")
    for name, value in pair.gpu.state().items():
        assert bool(torch.isfinite(value.float()).all()), name


@pytest.mark.slow
def test_two_fits_in_one_process_do_not_meet(gpu, pair_of):
    """Each on a device of its own, their steps in turn: as if the other were not there."""
    alone = pair_of(gpu, "grid", "fma", exact=True).gpu
    losses = [alone.advance([1.0] * 3) for _ in range(3)]
    with closing(open_gpu(gpu.api)) as other:
        engines = [pair_of(on, "grid", "fma", exact=True).gpu for on in (gpu, other)]
        both = [[engine.advance([1.0] * 3) for engine in engines] for _ in range(3)]
    assert both == [[loss, loss] for loss in losses]
