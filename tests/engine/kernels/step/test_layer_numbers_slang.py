"""update_layers: layers move along their axes as Soap moves them."""

from functools import partial

import numpy as np
import pytest
import torch
from fixtures.updates import unread

from neuralshade.engine.kernels.step.layer_numbers import LayerNumbers, turned_side
from neuralshade.engine.kernels.step.step_state import FLAGS, STATE, StepState
from neuralshade.engine.kernels.step.update import levels_of, update_text
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import KernelText, bound_kernel, run_once, write_once
from neuralshade.model.mlp import MLP
from neuralshade.optimizer.soap import EVERY, WIDEST, Soap

RATE, BETAS, EPSILON, AVERAGE, SCALE, PENALTY = 0.02, (0.8, 0.95), 1e-6, 0.75, 32.0, 0.1
SLOTS, SAMPLES = 3, 100.0
ADAM = {"rate": RATE, "beta1": BETAS[0], "beta2": BETAS[1], "epsilon": EPSILON}
NETWORKS = [  # inputs, outputs, hidden layers, width
    (21, 3, 2, 32),
    (5, 3, 1, 33),
    (70, 3, 2, 40),  # its first layer has no axes: it is too wide
]


class Steps:
    """The kernels that step a network along its axes, and Soap beside them."""

    def __init__(self, gpu, sizes, align=1, frozen=0, bias=True, penalty=PENALTY):
        self.gpu, rng = gpu, torch.Generator().manual_seed(1)
        self.network = MLP(*sizes, bias=bias, rng=rng)
        self.layout = layout = NetworkLayout(self.network, align)
        start = layout.flatten(list(self.network.parameters()))
        self.numbers = LayerNumbers(gpu, start, align > 1, layout, frozen)
        self.soap = Soap(list(self.network.parameters()), RATE, BETAS, EPSILON)
        self.frozen, self.rng, self.penalty = frozen, rng, penalty
        self.buffers = {
            "states": gpu.buffer(size=2 * STATE.itemsize), "broken": gpu.buffer(size=4 * FLAGS),
            "rows": gpu.buffer(layout.rows(frozen)),
            "partials": gpu.buffer(size=4 * SLOTS * layout.size),
            "partial_losses": gpu.buffer(size=4),
        }  # fmt: skip
        text = update_text([], halves=align > 1, gradients="float", touched=False,
                           side=turned_side(layout))  # fmt: skip
        settings = {"network": ADAM, "grid": ADAM, "penalty": penalty, "average": AVERAGE,
                    "slots": SLOTS, "losses": 1, "numbers": SAMPLES, "rounds_mean": 0, "noisy": 0,
                    "slot_size": layout.size, "table_count": 0, "crowded": 0, "copies": 0,
                    "grid_numbers": 0, "network_numbers": layout.size,
                    "row_count": len(layout.rows(frozen))}  # fmt: skip
        variables = {**self.buffers, **self.numbers.bound(), "settings": settings,
                     "levels4": levels_of(4), "levels8": levels_of(8)}  # fmt: skip
        variables |= unread(gpu, variables)
        rows = len(layout.rows(frozen))
        layers = self.numbers.layer_count
        self.dispatches = [
            (bound_kernel(gpu, KernelText(text, entry), variables), groups)
            for entry, groups in (("sum_network", rows), ("update_layers", layers),
                                  ("round_network", rows))
        ]  # fmt: skip
        self.steps = 0

    def step(self, factor=1.0, gradients=None, broken=False, beside=True):
        """Step once along random gradients, on the device and ``beside`` in ``soap``."""
        parameters = list(self.network.parameters())
        if gradients is None:
            gradients = [torch.randn(p.shape, generator=self.rng) for p in parameters]
        shares = torch.tensor([0.5, 0.25, 0.25])[:, None]
        flat = torch.from_numpy(self.layout.flatten(gradients))
        state = StepState(self.steps, self.steps, self.steps, 0, SCALE).pair(factor)
        write_once(self.gpu, self.buffers["states"], state.view(np.uint8))
        write_once(self.gpu, self.buffers["partials"], (shares * flat * SCALE * SAMPLES).numpy())
        marks = np.zeros(FLAGS, np.uint32)
        marks[self.steps % FLAGS] = broken
        write_once(self.gpu, self.buffers["broken"], marks)
        run_once(self.gpu, self.dispatches)
        if broken:
            return
        self.steps += 1
        if not beside:
            return
        frozen = {id(p) for layer in list(self.network.members)[: self.frozen]
                  for p in layer.parameters()}  # fmt: skip
        for p, gradient in zip(parameters, gradients, strict=True):
            p.grad = None if id(p) in frozen else gradient + self.penalty * p.detach()
        self.soap.step(factor)

    def values(self):
        """Return the device's numbers, shaped as the network's."""
        return self.layout.unflatten(self.numbers.read("values"))

    def load_soap(self):
        """Let Soap and its network be as the device is."""
        moments = [self.layout.unflatten(self.numbers.read("moments", part)) for part in (0, 1)]
        state = self.soap.state() | self.numbers.axes()
        for index, pair in enumerate(zip(*moments, strict=True)):
            names = (f"{index}.{name}" for name in ("exp_avg", "exp_avg_sq"))
            state |= dict(zip(names, pair, strict=True))
            state.setdefault(f"{index}.step", torch.tensor(float(self.steps)))
        self.soap.load_state({name: value.clone() for name, value in state.items()})
        with torch.no_grad():
            for p, value in zip(self.network.parameters(), self.values(), strict=True):
                p.copy_(value)

    def check(self, atol=1e-5):
        for value, p in zip(self.values(), self.network.parameters(), strict=True):
            torch.testing.assert_close(value, p.detach(), rtol=1e-4, atol=atol)


@pytest.mark.slow
@pytest.mark.parametrize("sizes, align", [(NETWORKS[0], 16), (NETWORKS[1], 1), (NETWORKS[2], 16)])
def test_between_turns_steps_are_those_of_soap(gpu, sizes, align):
    """From one state; how axes turn where gradients say nothing is either's own."""
    steps = Steps(gpu, sizes, align)
    for _ in range(EVERY + 1):
        steps.step()
    steps.load_soap()
    for factor in (1.0, 0.0, 0.8):
        steps.step(factor)
    steps.check()
    now = steps.soap.state()
    for name, value in steps.numbers.axes().items():
        torch.testing.assert_close(value, now[name], rtol=1e-4, atol=1e-6)
    assert float(now["0.step"]) == EVERY + 4


def test_steps_of_square_layers_are_those_of_soap_from_the_beginning(gpu):
    steps = Steps(gpu, (16, 16, 1, 16), bias=False)
    spread = torch.linspace(1, 2, 16)
    for _ in range(2 * EVERY + 2):
        steps.step(0.5, [g * spread + 4 * torch.diag(spread**3)
                         for g in torch.randn((2, 16, 16), generator=steps.rng)])  # fmt: skip
    steps.check(2e-3)


@pytest.mark.parametrize("size", [1.0, 1e-10, 3e-14])
def test_axes_stay_at_right_angles_and_follow_the_means(gpu, size):
    """However few directions gradients have, of two first ones one each and none of one input, and
    however small they are: squares of their products are beyond float32."""
    steps = Steps(gpu, NETWORKS[1], penalty=0.0)
    for count in range(EVERY + 1):
        before = steps.numbers.axes()
        steps.step(1.0, [size * (thin(p, steps.rng) if count < 2 else some(p, steps.rng))
                         for p in steps.network.parameters()])  # fmt: skip
    kept = steps.numbers.axes()
    for index in (0, 2):
        for side in ("left", "right"):
            axes, mean = (kept[f"{index}.{side}{name}"].double() for name in ("_axes", ""))
            whole = torch.eye(len(axes), dtype=torch.float64)
            torch.testing.assert_close(axes.t() @ axes, whole, rtol=0, atol=1e-5)
            image = axes.t() @ mean @ before[f"{index}.{side}_axes"].double()
            assert float(image.tril(-1).abs().max()) < 1e-5 * float(image.abs().max())


def thin(p, rng):
    """Return a gradient of one direction."""
    columns = torch.randn((1, *p.shape[1:]), generator=rng)
    return some(p, rng) if p.ndim == 1 else torch.randn((len(p), 1), generator=rng) * columns


def some(p, rng):
    """Return a gradient, none at the second input."""
    gradient = torch.randn(p.shape, generator=rng)
    if p.ndim == 2:
        gradient[:, 1] = 0
    return gradient


def test_no_gradient_moves_nothing_and_a_sum_that_overflows_counts_as_none(gpu):
    steps = Steps(gpu, NETWORKS[1], penalty=0.0)
    nothing = [torch.zeros_like(p) for p in steps.network.parameters()]
    before = [value.clone() for value in steps.values()]
    for _ in range(3):
        steps.step(1.0, nothing)
    assert all(map(torch.equal, steps.values(), before))
    huge, large = ([torch.full_like(p, size) for p in nothing] for size in (3e38, 1e25))
    for gradients in ([some(p, steps.rng) for p in nothing], huge, large, huge):
        steps.step(1.0, gradients, beside=False)
    assert all(bool(value.isfinite().all()) for value in steps.values())
    assert all(bool(value.isfinite().all()) for value in steps.numbers.axes().values())


def test_a_step_that_is_not_finite_changes_nothing(gpu):
    steps = Steps(gpu, NETWORKS[1])
    steps.step()
    steps.step()
    before = steps.values(), steps.numbers.axes(), steps.numbers.read("moments")
    steps.step(broken=True)
    assert all(map(torch.equal, steps.values(), before[0]))
    assert all(map(torch.equal, steps.numbers.axes().values(), before[1].values()))
    np.testing.assert_array_equal(steps.numbers.read("moments"), before[2])


def test_frozen_layers_stay(gpu):
    steps = Steps(gpu, NETWORKS[0], align=16, frozen=1)
    before = [value.clone() for value in steps.values()]
    for _ in range(3):
        steps.step()
    moved = [not torch.equal(a, b) for a, b in zip(steps.values(), before, strict=True)]
    assert moved == [False, False, True, True, True, True]
    assert [float(steps.numbers.axes()[f"{i}.step"]) for i in (0, 2, 4)] == [0, 3, 3]


def test_rounded_copies_and_means_are_of_what_moved(gpu):
    steps = Steps(gpu, NETWORKS[0], align=16)
    mean = 0.0
    for _ in range(3):
        steps.step()
        mean = AVERAGE * mean + (1 - AVERAGE) * steps.numbers.read("values").astype(np.float64)
    np.testing.assert_allclose(steps.numbers.read("means"), mean, atol=2e-6)
    stored = steps.numbers.stored.read().view(np.float16)[: steps.layout.size]
    np.testing.assert_array_equal(stored, steps.numbers.read("values").astype(np.float16))


def test_what_is_kept_goes_on_as_if_nothing_had_stopped(gpu):
    first, second = Steps(gpu, NETWORKS[0]), Steps(gpu, NETWORKS[0])
    gradients = [[some(p, first.rng) for p in first.network.parameters()] for _ in range(EVERY + 3)]
    for each in gradients[:2]:
        first.step(1.0, each)
    write = partial(write_once, gpu)
    for name, parts in (("values", 1), ("moments", 2), ("means", 1)):
        second.numbers.write(name, [first.numbers.read(name, i) for i in range(parts)], write)
    second.numbers.write_axes(first.numbers.axes(), write)
    second.steps = first.steps
    for each in gradients[2:]:
        first.step(1.0, each)
        second.step(1.0, each)
    assert all(map(torch.equal, first.values(), second.values()))
    assert all(map(torch.equal, first.numbers.axes().values(), second.numbers.axes().values()))


def test_a_state_without_axes_begins_anew(gpu):
    steps = Steps(gpu, NETWORKS[1])
    before = steps.numbers.axes()
    steps.numbers.write_axes({"0.step": torch.tensor(7.0)}, partial(write_once, gpu))
    assert all(map(torch.equal, steps.numbers.axes().values(), before.values()))


def test_sides_are_those_of_layers_that_have_axes():
    rng = torch.Generator().manual_seed(0)
    sides = [turned_side(NetworkLayout(MLP(*sizes, rng=rng))) for sizes in
             [*NETWORKS, (3, 3, 0, 8), (2 * WIDEST, 3, 1, WIDEST + 1)]]  # fmt: skip
    assert sides == [32, 48, 48, 16, 0]


@pytest.mark.parametrize("size", [1.0, 1e-3])
def test_axes_of_one_direction_stay_at_right_angles(gpu, size):
    """A material that is the same everywhere has one gradient over and over, of two numbers.

    A reflection leaves 1e-7 of all other axes, of which the next one leaves as little: squares soon
    are below float32's normal numbers, and on CUDA 2 over one of them is infinite.
    """
    steps = Steps(gpu, (8, 40, 1, 40), penalty=0.0)
    once = [size * two_numbers(p, steps.rng) for p in steps.network.parameters()]
    for _ in range(EVERY + 1):
        steps.step(1.0, once, beside=False)
    for name, axes in steps.numbers.axes().items():
        if name.endswith("_axes"):
            torch.testing.assert_close(axes @ axes.t(), torch.eye(len(axes)), rtol=0, atol=2e-5)
    assert all(bool(value.isfinite().all()) for value in steps.values())


def two_numbers(p, rng):
    """Return the gradient of weights behind neurons that are all as much above 0 or below."""
    rows = torch.randn((len(p), 1), generator=rng)
    if p.ndim == 1:
        return rows[:, 0]
    above = torch.rand((1, p.shape[1]), generator=rng) < 0.5
    return rows * torch.where(above, 0.01, -0.0001).half().float()
