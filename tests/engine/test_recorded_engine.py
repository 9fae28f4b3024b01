"""engine/recorded_engine: a step that CUDA replays is the step that PyTorch runs."""

import gc

import pytest
import torch

from neuralshade.engine.recorded_engine import RecordedEngine
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.adam import Adam, LatentAdam, TouchedAdam

BATCH, RATE = 512, 1e-2
FACTORS = [1.0, 0.5, 0.25, 2.0, 1.0]


class Batches:
    """Brings batches one after the other into one place, where a task reads them."""

    def __init__(self, network, broken=None):
        rng = torch.Generator().manual_seed(5)
        self.all = torch.rand((20, 3, BATCH), generator=rng).cuda()
        if broken is not None:
            self.all[broken, 0, 7] = torch.nan
        self.network, self.held, self.next = network, torch.empty(3, BATCH).cuda(), 0

    def bring(self):
        self.held.copy_(self.all[self.next])
        self.next += 1

    def __call__(self, rng):
        wanted = (6 * self.held).sin() + self.held.prod(0)
        return self.network.on_columns(self.held, torch.float32), wanted


def network():
    rng = torch.Generator().manual_seed(1)
    return MLP(3, 3, 2, 16, "leaky_relu", rng=rng).cuda()


def recorded(broken=None, field=None):
    field = field or network()
    batches = Batches(field, broken)
    adam = Adam(list(field.parameters()), RATE)
    return RecordedEngine(field, batches, "l1", [adam], torch.Generator(), load_batch=batches.bring)


def plain(broken=None):
    field = network()
    batches = Batches(field, broken)
    adam = Adam(list(field.parameters()), RATE)

    def task(rng):
        batches.bring()
        return batches(rng)

    return TorchEngine(field, task, "l1", [adam], torch.Generator())


def assert_close(one, other):
    assert set(one) == set(other)
    for name, value in one.items():
        torch.testing.assert_close(other[name].cpu(), value.cpu(), rtol=1e-4, atol=1e-6)


@pytest.mark.gpu
def test_replayed_steps_are_those_of_pytorch():
    one, other = plain(), recorded()
    for factors in (FACTORS, [1.0], FACTORS):
        assert other.advance(factors) == pytest.approx(one.advance(factors), rel=1e-4)
    assert_close(one.state(), other.state())


@pytest.mark.gpu
def test_a_step_that_is_not_finite_is_skipped_and_counted():
    one, other = plain(broken=3), recorded(broken=3)
    for engine in (one, other):
        engine.advance(FACTORS)
        assert engine.skipped == 1
    assert_close(one.state(), other.state())


@pytest.mark.gpu
def test_it_goes_on_from_its_state():
    whole, first, second = recorded(), recorded(), recorded()
    whole.advance([*FACTORS, *FACTORS])
    first.advance(FACTORS)
    second.load_state({name: value.clone() for name, value in first.state().items()})
    second.task.next = len(FACTORS)
    second.advance(FACTORS)
    for name, value in whole.state().items():
        assert torch.equal(value, second.state()[name]), name


@pytest.mark.gpu
def test_latents_stay_in_their_range():
    latents = torch.nn.Parameter(torch.full((3, BATCH), 0.5, device="cuda"))
    field = torch.nn.ParameterList([latents])
    wanted = torch.linspace(-2, 3, BATCH, device="cuda").expand(3, BATCH)
    engine = RecordedEngine(field, lambda rng: (latents * 1.0, wanted), "l2",
                            [LatentAdam([latents], 0.2)], torch.Generator())  # fmt: skip
    engine.advance([1.0] * 30)
    assert latents.min() == 0 and latents.max() == 1


@pytest.mark.gpu
def test_a_step_that_changed_is_recorded_anew():
    engine = recorded()
    engine.advance(FACTORS)
    engine.field.members[0].weight.requires_grad_(False)
    held = engine.field.members[0].weight.clone()
    engine.forget()
    engine.advance(FACTORS)
    assert torch.equal(held, engine.field.members[0].weight)


@pytest.mark.gpu
def test_a_graph_left_as_garbage_does_not_end_the_next_recording():
    """CUDA ends a recording in which a graph is freed, and garbage is collected at any time."""
    old, engine = recorded(), recorded()
    old.advance(FACTORS)
    old.itself = old  # a circle, which only a collection frees
    garbage, draw = [old], engine.task
    del old

    def drawn(rng):
        if torch.cuda.is_current_stream_capturing() and gc.isenabled():
            garbage.clear()
            gc.collect()
        return draw(rng)

    engine.task = drawn
    assert engine.advance(FACTORS) == pytest.approx(plain().advance(FACTORS), rel=1e-4)


def test_other_optimizers_are_refused():
    field = MLP(3, 3, 1, 16, rng=torch.Generator())
    touched = TouchedAdam([torch.nn.Parameter(torch.zeros(4, 2))], RATE)
    with pytest.raises(TypeError, match="Adam alone"):
        RecordedEngine(field, lambda rng: None, "l1", [touched], torch.Generator())
