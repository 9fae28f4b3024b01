"""kinds/textures/engine: the GPU's steps equal PyTorch's, before and after latents are frozen."""

import numpy as np
import pytest
import torch
from fixtures.texture_engines import check_rounded, check_stepped, engine_pair, far
from fixtures.texture_sets import small_set

from neuralshade.kinds.textures.engine import latent_grids, rounded_field

RATES = [1.0, 0.9, 0.8, 0.7]
CLAMP = {"wrap": "clamp", "bpp": 1.11, "weights": "normal=2.5,roughness=0", "mips": 3}
SETS = {  # a text of kernels each, which takes seconds to compile
    "repeat": ((16, 24), {}),
    "clamp": ((9, 13), CLAMP | {"exact": True}),  # odd sizes; 7 latents, and one that fills up
}


def pair_of(gpu, name, **others):
    (height, width), settings = SETS[name]
    # the bounds below are of steps of this size
    return engine_pair(gpu, small_set(height, width), **settings | {"rate": 0.01} | others)


# the kernels of the odd one take twice as long to compile
@pytest.fixture(params=["repeat", pytest.param("clamp", marks=pytest.mark.slow)])
def pair(request, gpu):
    """Give both engines for each of SETS, as they start."""
    return pair_of(gpu, request.param)


@pytest.mark.slow
def test_both_start_alike_and_take_the_same_steps(pair):
    on_gpu, host = pair
    check_rounded(far(on_gpu, host))
    for rate in RATES:
        loss, wanted = on_gpu.advance([rate]), host.advance([rate])
        assert loss == pytest.approx(wanted, rel=3e-4)
    check_stepped(far(on_gpu, host))
    assert on_gpu.skipped == host.skipped == 0


@pytest.mark.slow
def test_weights_of_8_bits_are_rounded_alike_in_each_step(gpu):
    on_gpu, host = pair_of(gpu, "clamp", network_bits=8)
    rounded, plain = (
        on_gpu.advance([1.0] * 2),
        pair_of(gpu, "clamp", network_bits=16)[1].advance([1.0] * 2),
    )
    assert rounded == pytest.approx(host.advance([1.0] * 2), rel=1e-3)
    assert rounded != pytest.approx(plain, rel=1e-3)


def codes(engine):
    return [grid.texels.detach().clone() for grid in latent_grids(engine.trained())]


def are_codes(engine):
    return all(
        torch.equal(grid.texels, (grid.texels * grid.steps).round() / grid.steps)
        for grid in latent_grids(engine.trained())
    )


@pytest.mark.slow
def test_frozen_latents_are_codes_and_stay_so(pair):
    on_gpu, host = pair
    for engine in pair:
        engine.advance(RATES)
        assert not are_codes(engine)
        engine.freeze()
        assert are_codes(engine)
    # one code apart where the two fell to either side of a half: at 2e-3 of their sum apart, and
    # 15 codes, that is 1.5 % of them
    for one, two in zip(codes(on_gpu), codes(host), strict=True):
        assert (one != two).double().mean() < 0.03
    frozen = [codes(engine) for engine in pair]
    network = [p.detach().clone() for p in host.trained().network.parameters()]
    losses = [engine.advance([0.01] * 3) for engine in pair]
    assert losses[0] == pytest.approx(losses[1], rel=0.02)
    for engine, before in zip(pair, frozen, strict=True):
        assert all(map(torch.equal, codes(engine), before))
    assert not torch.equal(next(iter(host.trained().network.parameters())), network[0])
    for name, error in far(on_gpu, host).items():
        if name.startswith("field.network"):
            assert error < 1e-2, name


@pytest.mark.slow
def test_frozen_latents_get_no_gradients(gpu):
    """Their sums would cost a third of a step, and nothing clears them."""
    engine, _ = pair_of(gpu, "repeat")
    engine.advance(RATES)
    engine.freeze()
    before = engine.advance([0.0])
    engine.advance([0.01] * 3)
    assert engine.advance([0.0]) != before  # the decoder goes on
    buffers = engine.trainer.buffers
    for name in ("grid_sums", "grid_halves"):
        assert not np.any(buffers[name].read()), name


@pytest.mark.slow
def test_a_decoder_is_refitted_to_latents_that_moved(pair):
    """Latents are those given, and stay so; the loss falls, alike on both."""
    for engine in pair:
        engine.advance(RATES)
        engine.freeze()
    moved = rounded_field(pair[1].trained())
    for grid in latent_grids(moved):
        grid.set_codes((grid.steps - grid.codes()).reshape(grid.texels.shape))
    losses = []
    for engine in pair:
        engine.refit_decoder(moved, 1)
        before = engine.advance([0.0])
        engine.refit_decoder(moved, 200)
        alone = [p.detach().clone() for p in engine.trained_network().parameters()]
        for own, other in zip(alone, engine.trained().network.parameters(), strict=True):
            assert torch.equal(own, other)
        for grid, own in zip(latent_grids(moved), codes(engine), strict=True):
            assert torch.equal(grid.texels, own)
        losses.append(engine.advance([0.0]))
        assert losses[-1] < 0.8 * before
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1])  # through the GPU, through PyTorch
def test_latents_of_a_fit_that_ended_before_they_were_frozen_are_frozen_by_a_refit(gpu, which):
    """Of few steps, say: the decoder alone is trained for codes, and these stay what they are."""
    engine = pair_of(gpu, "repeat")[which]
    engine.advance([1.0] * 2)
    found = rounded_field(engine.trained())
    for grid in latent_grids(found):
        grid.set_codes((grid.steps - grid.codes()).reshape(grid.texels.shape))
    before = [p.detach().clone() for p in engine.trained().network.parameters()]
    engine.refit_decoder(found, 3)
    assert engine.frozen and bool(engine.state()["frozen"])
    for grid, own in zip(latent_grids(found), codes(engine), strict=True):
        assert torch.equal(grid.texels, own)
    assert not torch.equal(next(iter(engine.trained().network.parameters())), before[0])


@pytest.mark.slow
def test_what_fills_up_an_odd_grid_stays_0(gpu):
    on_gpu, _ = pair_of(gpu, "clamp")
    on_gpu.advance(RATES)
    values, first, odd = on_gpu.trainer.grid.read("values"), 0, 0
    for grid in latent_grids(on_gpu.field):
        count, first = grid.texels.numel(), first + grid.number_count()
        odd += count % 2
        assert count % 2 == 0 or values[first - 1] == 0
    assert odd and first == on_gpu.trainer.grid.count


@pytest.mark.slow
def test_state_goes_from_one_engine_to_the_other(gpu):
    """Frozen ones too: whoever takes it over freezes."""
    on_gpu, host = pair_of(gpu, "repeat")
    host.advance(RATES)
    on_gpu.load_state({name: value.clone() for name, value in host.state().items()})
    check_rounded(far(on_gpu, host))
    host.freeze()
    on_gpu.load_state({name: value.clone() for name, value in host.state().items()})
    assert on_gpu.frozen and are_codes(on_gpu)
    before = codes(on_gpu)
    on_gpu.advance(RATES)
    assert all(map(torch.equal, codes(on_gpu), before))


@pytest.mark.slow
def test_frozen_codes_are_exact_whatever_their_bits(gpu):
    """Sevenths and thirty-firsts are no 65535ths; PyTorch takes over what the device had."""
    grids = {"grids": "2:3:3,4:4:5"}
    on_gpu, host = pair_of(gpu, "repeat", **grids)
    on_gpu.advance(RATES)
    trained = {name: value.clone() for name, value in on_gpu.state().items()}
    host.load_state({name: value.clone() for name, value in trained.items()})
    assert max(far(on_gpu, host).values()) == 0
    for engine in (on_gpu, host):
        engine.freeze()
        assert are_codes(engine)
    assert all(map(torch.equal, codes(on_gpu), codes(host)))
    kept = {name: value.clone() for name, value in on_gpu.state().items()}
    on_gpu.advance([0.5])
    on_gpu.load_state({name: value.clone() for name, value in kept.items()})
    resumed, _ = pair_of(gpu, "repeat", **grids)
    resumed.load_state({name: value.clone() for name, value in kept.items()})
    for engine in (on_gpu, resumed):
        assert all(map(torch.equal, codes(engine), codes(host)))


@pytest.mark.slow
def test_steps_that_are_not_finite_are_skipped(pair):
    planted = "field.network.layers.0.bias"
    for engine in pair:
        engine.advance([1.0])
        broken = {name: value.clone() for name, value in engine.state().items()}
        broken[planted][3] = torch.nan
        engine.load_state({name: value.clone() for name, value in broken.items()})
        engine.advance([1.0, 1.0])
        assert engine.skipped == 2
        for name, value in engine.state().items():
            if name.partition(".")[0] in ("field", "optimizer"):
                assert torch.equal(value.isnan(), broken[name].isnan()), name
                assert torch.equal(value.nan_to_num(), broken[name].nan_to_num()), name


@pytest.mark.slow
def test_fixed_sums_give_equal_bits(gpu):
    states = []
    for parts in ([4], [1, 3]):
        on_gpu, _ = pair_of(gpu, "clamp")
        for count in parts:
            on_gpu.advance([1.0] * count)
        states.append(on_gpu.state())
    for name, value in states[0].items():
        assert torch.equal(value, states[1][name]), name


@pytest.mark.slow
@pytest.mark.parametrize("frozen", [False, True])
def test_a_fit_that_goes_on_has_equal_bits(gpu, frozen):
    whole, _ = pair_of(gpu, "clamp")
    whole.advance([1.0] * 3)
    if frozen:
        whole.freeze()
        whole.advance([0.5])
    kept = {name: value.clone() for name, value in whole.state().items()}
    resumed, _ = pair_of(gpu, "clamp")
    resumed.load_state(kept)
    for engine in (whole, resumed):
        engine.advance([0.7, 0.4])
    for name, value in whole.state().items():
        assert torch.equal(value, resumed.state()[name]), name


def test_noise_is_within_a_code_and_of_mean_0(pair):
    """What look-ups of the next step see is latents a code's width about, in [0, 1]."""
    on_gpu, _ = pair
    on_gpu.advance([1.0] * 2)
    numbers = on_gpu.trainer.grid
    values, seen = numbers.read("values"), numbers.read("stored")
    first = 0
    for grid in latent_grids(on_gpu.field):
        part = slice(first, first + grid.texels.numel())
        first += grid.number_count()
        off = (seen[part] - values[part]) * grid.steps
        assert np.abs(off).max() <= 0.5 + 1e-4 and 0 <= seen[part].min() <= seen[part].max() <= 1
        inside = off[(values[part] > 0.5 / grid.steps) & (values[part] < 1 - 0.5 / grid.steps)]
        spread = 12**-0.5
        assert abs(inside.mean()) < 5 * spread / len(inside) ** 0.5
        if len(inside) > 100:
            assert inside.std() == pytest.approx(spread, rel=0.15)
