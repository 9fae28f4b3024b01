"""kinds/splats/engine: steps, rounding and restarts of a cloud are those of the float64 half."""

import numpy as np
import pytest
import torch

from neuralshade.kinds.splats.asset import cloud_facts
from neuralshade.kinds.splats.engine import SUBMITTED_STEPS, SplatEngine, SplatTraining
from neuralshade.kinds.splats.kernels import RANGE, SplatForm
from neuralshade.model.gaussian import COLOR, SIZE, color_at

FORMS = {
    "sum-4": SplatForm(4, "sum", cutoff=2.5),
    "normalized-3": SplatForm(3, "normalized"),
    "over-3": SplatForm(3, "over"),
}
WIDTH, HEIGHT = 37, 21  # six tiles; at the right and below they are cut
BACKGROUND = np.float32([0.3, 0.6, 0.1, 0.8])
# One Gaussian in each tile; none meets another's, so that sums come in one order only
ALONE = np.float32([(8, 8), (24, 8), (34.5, 8), (8, 18.5), (24, 18.5), (34.5, 18.5)]).T


def pixels_of(form):
    """Return smooth waves: uint8 [HEIGHT, WIDTH, C]."""
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    waves = [np.sin(row / (2 + i) + col / (4 + i)) for i in range(form.channels)]
    return np.uint8(127 + 120 * np.stack(waves, axis=-1))


def cloud_of(form, count=8):
    """Return Gaussians all over the picture, so few that all count: float32 [A, count]."""
    rng = np.random.default_rng(2)
    values = rng.normal(0.3, 0.3, (form.attributes, count))
    values[:2] = rng.random((2, count)) * [[WIDTH], [HEIGHT]]
    values[SIZE] += 1.2
    return values.astype(np.float32)


def alone(form):
    values = cloud_of(form, 6)
    values[:2], values[SIZE], values[4] = ALONE, 0.0, 0.0
    return values


def free_ranges(form):
    """Return ranges that nothing meets, with a step size of its own for each kind of number."""
    rates = [0.3] * 2 + [0.1] * 3 + [0.01] * form.channels + [0.05] * form.opacity
    return np.array([(-1e6, 1e6, 0, rate) for rate in rates], RANGE)


def still_ranges(form):
    """Return ranges that leave all Gaussians where they are."""
    ranges = free_ranges(form)
    ranges["rate"][:COLOR] = 0
    return ranges


def engine_of(gpu, form, values, *, share=1.0, capacity=12, ranges=None):
    training = SplatTraining((0.9, 0.99), 1e-3, share)
    engine = SplatEngine(
        gpu, form, training, pixels_of(form), values, capacity, BACKGROUND[: form.channels]
    )
    engine.set_ranges(free_ranges(form) if ranges is None else ranges)
    return engine


def host_colors(form, values):
    row, col = np.mgrid[:HEIGHT, :WIDTH]
    places = torch.tensor(np.stack([col, row], axis=-1).reshape(-1, 2) + 0.5)
    background = torch.tensor(BACKGROUND[: form.channels]).double()
    return color_at(torch.as_tensor(values).double(), places, background, form.together)


def host_steps(form, values, factors):
    """Return what PyTorch's Adam makes of the numbers, and the last step's mean loss."""
    rows = [torch.tensor(row).double().requires_grad_() for row in values]
    rates = free_ranges(form)["rate"].tolist()
    groups = [{"params": [row], "lr": rate} for row, rate in zip(rows, rates, strict=True)]
    adam = torch.optim.Adam(groups, betas=(0.9, 0.99), eps=1e-3)
    wanted = torch.tensor(pixels_of(form).reshape(-1, form.channels) / 255)
    for factor in factors:
        for group, rate in zip(adam.param_groups, rates, strict=True):
            group["lr"] = rate * factor
        adam.zero_grad()
        squares = (host_colors(form, torch.stack(rows)) - wanted).square()
        squares.sum().backward()
        adam.step()
    return torch.stack(rows).detach().numpy(), squares.mean().item()


# kernels of each take seconds to compile, but those of normalized-3 are test_fit.py's too
MORE = [pytest.param(name, marks=pytest.mark.slow) for name in ("sum-4", "over-3")]


@pytest.fixture(params=[*MORE, "normalized-3"])
def form(request):
    return FORMS[request.param]


@pytest.mark.slow
def test_steps_are_those_of_adam(gpu, form):
    values, factors = cloud_of(form), [1.0, 0.5, 0.8]
    engine = engine_of(gpu, form, values)
    loss = engine.advance(factors[:1])
    assert loss == pytest.approx(host_steps(form, values, factors[:1])[1], rel=1e-5)
    loss = engine.advance(factors[1:])
    wanted, wanted_loss = host_steps(form, values, factors)
    assert loss == pytest.approx(wanted_loss, rel=1e-3)
    moved, far = wanted - values, engine.values() - wanted
    assert (abs(moved).max(axis=1) > 1e-3).all()
    assert (np.linalg.norm(far, axis=1) < 1e-3 * np.linalg.norm(moved, axis=1)).all()
    assert engine.skipped == 0
    assert engine.state()["ages"].tolist() == [3] * 8


def test_steps_learn_the_picture(gpu, form):
    engine = engine_of(gpu, form, cloud_of(form))
    first = engine.advance([1.0])
    assert engine.advance([1.0] * 60) < 0.5 * first


def test_steps_in_many_parts_or_few_are_the_same(gpu):
    form, factors = FORMS["normalized-3"], list(np.linspace(1, 0.1, SUBMITTED_STEPS + 40))
    engines = [engine_of(gpu, form, alone(form), ranges=still_ranges(form)) for _ in range(2)]
    engines[0].advance(factors)
    for first in range(0, len(factors), 100):
        engines[1].advance(factors[first : first + 100])
    np.testing.assert_array_equal(engines[0].values(), engines[1].values())
    assert engines[0].state()["step"].tolist() == [len(factors), len(factors), 0]


def rounded_ranges(form):
    """Return ranges that some numbers are beyond, of steps that no float32 holds."""
    rows = [(0.0, 36.9, 0.3), (0.0, 21.0, 0.3), (-1.4, 2.1, 0.1), (-1.4, 2.1, 0.1),
            (-0.7, 0.7, 0.07), *[(-0.11, 0.55, 0.011)] * form.channels,
            *[(-0.6, 1.6, 0.2)] * form.opacity]  # fmt: skip
    return np.array([(low, high, round((high - low) / step) + 1, 0.02) for low, high, step in rows],
                    RANGE)  # fmt: skip


def test_what_is_drawn_is_what_levels_stand_for(gpu, form):
    """As the file will hold it, (first + level) * step, also while it is trained on."""
    ranges = rounded_ranges(form)
    ranges[4] = (0.25, 0.25, 1, 0.1)  # one level only
    engine = engine_of(gpu, form, cloud_of(form), ranges=ranges)
    facts = cloud_facts(8, np.delete(ranges, 4), BACKGROUND[: form.channels])
    for trained in (False, True):
        levels = engine.levels()
        values, counts = engine.values(), ranges["levels"][:, None]
        assert levels.dtype == np.int32 and (levels >= 0).all() and (levels < counts).all()
        scale = np.array([facts["first"], facts["step"]])[:, :, None]
        stored = (scale[0] + np.delete(levels, 4, axis=0)) * scale[1]
        stored = np.insert(stored, 4, 0.25, axis=0)
        inside = (values >= ranges["low"][:, None]) & (values <= ranges["high"][:, None])
        assert (~inside).any() != trained  # clamped once, by the first step
        half = 0.5 * np.insert(scale[1], 4, 1.0, axis=0)
        assert (abs(values - stored) <= half + 1e-5)[inside].all()
        drawn = engine.draw()
        boxes = engine.bound["boxes"].read().view(np.float32).reshape(-1, 4)[:8]
        np.testing.assert_allclose(boxes[:, :2].T, stored[:2], rtol=1e-6, atol=1e-6)
        wanted = host_colors(form, stored).reshape(drawn.shape)
        np.testing.assert_allclose(drawn, wanted, rtol=0, atol=1e-4)
        engine.advance([1.0] * 3)
        assert abs(engine.values() - values).max() > 1e-3  # what is rounded is a copy


def test_levels_in_other_ranges_than_those_in_use(gpu):
    form = FORMS["normalized-3"]
    engine, ranges = engine_of(gpu, form, cloud_of(form)), rounded_ranges(form)
    levels = engine.levels(ranges)
    engine.set_ranges(ranges)
    np.testing.assert_array_equal(levels, engine.levels())


@pytest.mark.parametrize("frozen", [[0, 1], [2, 3, 4], [5]])
def test_attributes_without_a_rate_stay_as_they_are(gpu, form, frozen):
    values, ranges = cloud_of(form), free_ranges(form)
    ranges["rate"][frozen] = 0
    engine = engine_of(gpu, form, values, ranges=ranges)
    engine.advance([1.0] * 3)
    moved = abs(engine.values() - values).max(axis=1)
    assert (moved > 0).tolist() == [row not in frozen for row in range(len(values))]


def test_numbers_keep_to_their_range_while_they_train(gpu, form):
    values, ranges = cloud_of(form), free_ranges(form)
    ranges["low"], ranges["high"] = values.min(1), values.max(1)
    engine = engine_of(gpu, form, values, ranges=ranges)
    engine.advance([1.0] * 20)
    after = engine.values()
    assert (after >= values.min(1, keepdims=True)).all()
    assert (after <= values.max(1, keepdims=True)).all()
    assert (after == values.max(1, keepdims=True)).sum() > 0


@pytest.mark.parametrize("first", [False, True])
def test_replacing_keeps_what_the_kept_ones_have_learned(gpu, form, first):
    engine = engine_of(gpu, form, cloud_of(form))
    engine.advance([1.0] * 3)
    before, added = engine.state(), cloud_of(form, 12)[:, 9:]
    kept = np.array([1, 4, 6, 7])
    engine.replace(kept, added, first=first)
    after, old = engine.state(), slice(3, 7) if first else slice(0, 4)
    new = [i for i in range(7) if i not in range(7)[old]]
    assert engine.count == 7 and after["values"].shape == (form.attributes, 7)
    for name in ("values", "moments", "ages"):
        assert torch.equal(after[name][..., old], before[name][..., kept])
    np.testing.assert_array_equal(after["values"][:, new], added)
    assert not after["moments"][..., new].any() and not after["ages"][new].any()
    drawn = engine.draw()
    wanted = host_colors(form, after["values"]).reshape(drawn.shape)
    np.testing.assert_allclose(drawn, wanted, rtol=0, atol=1e-4)
    engine.advance([1.0])
    assert engine.state()["ages"][old].tolist() == [4] * 4
    assert engine.state()["ages"][new].tolist() == [1] * 3


def test_a_restart_goes_on_bit_for_bit(gpu, form):
    whole, parted = (engine_of(gpu, form, alone(form), ranges=still_ranges(form)) for _ in range(2))
    whole.advance([1.0, 0.9, 0.8, 0.7, 0.6])
    parted.advance([1.0, 0.9])
    state = {name: value.clone() for name, value in parted.state().items()}
    other = engine_of(gpu, form, cloud_of(form), ranges=rounded_ranges(form))
    other.load_state(state)
    loss = other.advance([0.8, 0.7, 0.6])
    assert other.state().keys() == whole.state().keys()
    for name, value in whole.state().items():
        assert torch.equal(other.state()[name], value), name
    np.testing.assert_array_equal(other.draw(), whole.draw())
    assert loss == whole.state_now.loss


@pytest.mark.slow
def test_weighing_leaves_no_trace_in_the_next_step(gpu, form):
    asked, left = (engine_of(gpu, form, alone(form), ranges=still_ranges(form)) for _ in range(2))
    asked.advance([1.0])
    weights = asked.weights()
    assert weights.shape == (6,) and (weights > 0).all()
    asked.advance([1.0])
    left.advance([1.0, 1.0])
    np.testing.assert_array_equal(asked.values(), left.values())


@pytest.mark.parametrize("share, tiles", [(1 / 3, 2), (0.5, 3), (1e-4, 1), (0.65, 4)])
def test_a_share_of_the_tiles_trains_each_in_turn(gpu, share, tiles):
    form = FORMS["normalized-3"]
    values = alone(form)
    engine = engine_of(gpu, form, values, share=share, ranges=still_ranges(form))
    assert engine.trained_tiles == tiles
    for step in range(1, -(-6 // tiles) + 1):
        engine.advance([1.0])
        moved = abs(engine.values() - values).max(axis=0) > 0
        assert moved.sum() == min(6, tiles * step)
    ages = engine.state()["ages"]
    assert ages.sum() == tiles * step and ages.max() - ages.min() <= 1


BROKEN = {  # number, Gaussian, what it becomes
    "center": (0, 1, np.nan),
    "size": (2, 0, np.inf),
    "shear": (4, 3, -np.inf),
    "color": (COLOR, 2, np.nan),
    "last": (-1, 5, np.nan),
}


@pytest.mark.parametrize("planted", BROKEN)
def test_numbers_that_are_none_are_set_back_and_counted(gpu, form, planted):
    values = cloud_of(form)
    row, index, number = BROKEN[planted]
    values[row, index] = number
    engine = engine_of(gpu, form, values)
    engine.advance([0.1] * 3)
    assert engine.skipped > 0
    state = engine.state()
    assert all(state[name].isfinite().all() for name in ("values", "moments"))
    skipped, drawn = engine.skipped, engine.draw()
    first = engine.advance([0.5])
    assert np.isfinite(drawn).all() and np.isfinite(first)
    assert engine.advance([0.5] * 20) < first and engine.skipped == skipped


def test_what_is_set_back_keeps_to_its_range(gpu):
    form = FORMS["normalized-3"]
    values, ranges = cloud_of(form), free_ranges(form)
    values[0, 2] = values[COLOR, 2] = np.nan
    ranges["low"][0], ranges["high"][COLOR], ranges["rate"] = 4.0, -2.0, 0.0
    engine = engine_of(gpu, form, values, ranges=ranges)
    engine.advance([1.0])
    assert engine.values()[[0, COLOR], 2].tolist() == [4.0, -2.0]


@pytest.mark.slow  # other kernels than above
def test_loss_is_a_mean_whatever_share_is_trained(gpu):
    form, pixels = FORMS["sum-4"], np.full((32, 48, 4), 204, np.uint8)  # tiles cost the same
    outside = np.full((form.attributes, 1), -50, np.float32)
    for share in (1.0, 0.5):
        engine = SplatEngine(gpu, form, SplatTraining(tiles_share=share), pixels, outside, 1,
                             np.float32([0.3] * 4))  # fmt: skip
        assert engine.advance([1.0]) == pytest.approx(0.5**2, rel=1e-4)
