"""engine/kernels: the training kernels' sums of gradients equal autograd's in float64.

The batch is drawn by the Python half of the sampler, the reference is the field in float64.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from fixtures.trained_steps import RATES, SCALE, STEP, Case, Trained, field_of, reference

from neuralshade.engine.kernel_path import training_paths
from neuralshade.engine.kernel_plan import refusal_of
from neuralshade.engine.kernels.step.step_state import FLAGS, STATE, StepState
from neuralshade.loss.pointwise import LOSSES
from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.registry import ENCODINGS, parse_encoding
from neuralshade.sampler.draw import SAMPLINGS

GRIDS = (
    "dense_grid:levels=2,features=3,coarsest=3,width=9,height=5 + identity + "
    "hash_grid:levels=2,features=2,log2_entries=5,coarsest=2,finest=13"
)
SMOOTH = Case(GRIDS, 2, 8, "silu", "sigmoid", "l2", "positions", 3, 300, exact=True)
CASES = [
    SMOOTH,
    Case("frequency:octaves=3", 2, 13, "relu", "none", "l2", "pixels", 3, 200),
    Case("dense_grid:levels=2,features=1,coarsest=3,width=9,height=5", 1, 64, "tanh", "relu",
         "relative_l2", "lattice", 4, 180, False, np.uint8),
    Case("triangle_wave:octaves=4 + cell_wave:width=5,height=9", 4, 13, "sigmoid", "leaky_relu",
         "log_l1", "positions", 1, 129, dtype=np.float16),
    Case("one_blob:bins=9", 0, 8, "none", "tanh", "smape", "pixels", 2, 65, dtype=np.uint16,
         alpha_weighted=True),
    Case("hash_grid:levels=3,features=1,log2_entries=6,coarsest=3,finest=20", 0, 8, "relu", "exp",
         "l2", "positions", 4, 64),
    Case("identity", 4, 8, "exp", "softplus", "l1", "lattice", 2, 1, False),
    Case("dense_grid:features=5,width=6,height=4", 1, 33, "softplus", "elu", "relative_l2",
         "pixels", 1, 500),
    Case("frequency:octaves=5", 2, 13, "leaky_relu", "sine", "log_l1", "pixels", 3, 190, False),
    Case("dense_grid:features=2,width=5,height=7 + one_blob:bins=4", 2, 8, "elu", "silu", "smape",
         "lattice", 3, 257, dtype=np.uint8),
    Case("identity + frequency:octaves=2", 4, 64, "sine", "none", "l2", "positions", 4, 130,
         alpha_weighted=True),
    Case("frequency:octaves=6", 1, 100, "hard_gelu", "hard_gelu", "l2", "pixels", 3, 70),
    Case("frequency:octaves=6", 1, 100, "none", "none", "huber", "pixels", 3, 70),
    Case("frequency:octaves=2", 1, 8, "relu", "exp", "log_l2", "pixels", 3, 90),
    Case("one_blob:bins=5,dimensions=1 + frequency:octaves=2,first=1 + "
         "dense_grid:features=2,width=5,height=7,smooth=1 + hash_grid:levels=2,features=1,"
         "log2_entries=5,coarsest=2,finest=13,smooth=1", 1, 16, "relu", "none", "l2", "pixels", 3,
         150),
    Case("staggered_grid:levels=3,features=2,log2_entries=5,coarsest=3", 1, 8, "silu", "none", "l2",
         "positions", 3, 120),
    Case("dense_grid:features=8,width=5,height=7 + tile_grid:features=2,width=40,height=21,tile=16,"
         "texels=200", 2, 16, "relu", "none", "l2", "lattice", 3, 190),
]  # fmt: skip
# kernels of their own each, which take seconds to compile: quick are the cheapest, of grids too;
# those of dense grids are quick in pairs/test_network_trainer.py, integer sums in its _steps
QUICK = (4, 5, 6)
OTHERS = [
    case if index in QUICK else pytest.param(case, marks=pytest.mark.slow)
    for index, case in enumerate(CASES)
]
LARGE = [  # whose sums of weights' gradients one warpgroup makes for three others
    Case("frequency:octaves=6", 4, 64, "leaky_relu", "sigmoid", "l2", "positions", 3, 40_001),
    Case("frequency:octaves=16", 3, 64, "relu", "none", "l2", "lattice", 4, 50_000),
    Case("one_blob:bins=24", 4, 50, "silu", "none", "huber", "positions", 2, 35_000),
]  # fmt: skip
PATHS = ["fma", *(pytest.param(path, marks=pytest.mark.gpu) for path in ("matrix", "wgmma"))]
# relative norm of the error of a parameter's gradient, and of the loss: float32 sums of 500
# terms; activations and gradients in float16 (and those far below the largest vanish)
ROOM = {False: (2e-5, 1e-5), True: (2e-2, 5e-3)}


def test_the_cases_cover_every_kind():
    def seen(name: str) -> set[Any]:
        return {getattr(case, name) for case in CASES}

    kinds = {kind for case in CASES for kind, _ in parse_encoding(case.encoding)}
    assert kinds == set(ENCODINGS)
    assert seen("activation") == seen("output_activation") == set(ACTIVATIONS)
    assert seen("loss") == set(LOSSES) and seen("sampling") == set(SAMPLINGS)
    assert seen("channels") == {1, 2, 3, 4} and seen("hidden_layers") == {0, 1, 2, 4}
    assert seen("exact") == seen("bias") == seen("alpha_weighted") == {False, True}


def trained(dispatch: Any, gpu: Any, case: Case, rng: torch.Generator, path: str) -> Trained:
    """Train on ``case``, fitted to what ``path`` can do."""
    if path not in training_paths(gpu.adapter):
        pytest.skip(f"{gpu.name} does not train by {path}")
    multiple = {"fma": 1, "matrix": 16, "wgmma": 64}[path]  # that hidden layers are there
    case = replace(case, hidden_width=-(-case.hidden_width // multiple) * multiple)
    field = field_of(case, rng, path != "fma")
    refusal = refusal_of(path, field.network)
    if refusal is not None:
        pytest.skip(refusal)
    return Trained(dispatch, gpu, case, field, path)


def check(ran: Trained) -> None:
    """Compare loss and gradients with the reference, and see what else a step leaves."""
    loss, gradients = reference(ran.case, ran.field)
    of_gradient, of_loss = ROOM[ran.plan.halves]
    assert ran.loss() == pytest.approx(loss, rel=of_loss)
    largest = max(np.linalg.norm(wanted) for wanted in gradients)
    for index, (got, wanted) in enumerate(zip(ran.gradients(), gradients, strict=True)):
        error = np.linalg.norm(got - wanted)
        room = of_gradient * (np.linalg.norm(wanted) + 1e-3 * largest)
        if ran.case.exact:  # each addition is rounded to a step
            room += 2.0**-16 / SCALE * np.sqrt(12 * ran.batch)
        assert error <= room, index
        assert np.linalg.norm(wanted) > 0, index
    assert ran.run.read("broken", np.uint32, FLAGS).tolist() == [0] * FLAGS
    states = ran.run.read("states", STATE, 2)
    assert states[1]["rate"] == RATES[STEP % len(RATES)]
    states[1]["rate"] = states[0]["rate"]
    assert states[0] == states[1]  # what the update kernels will read


@pytest.fixture(scope="module", params=PATHS)
def smooth(request, dispatch, gpu):
    """Give one case that is compiled once."""
    return trained(dispatch, gpu, SMOOTH, torch.Generator().manual_seed(0), request.param)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", OTHERS[1:], ids=lambda case: f"{case.activation}-{case.loss}")
def test_both_halves_agree(dispatch, gpu, rng, case, path):
    check(trained(dispatch, gpu, case, rng, path))


@pytest.mark.gpu
@pytest.mark.parametrize("case", LARGE, ids=lambda case: f"{case.activation}-{case.batch}")
def test_both_halves_agree_on_large_batches(dispatch, gpu, rng, case):
    ran = trained(dispatch, gpu, case, rng, "wgmma")
    assert ran.plan.apart
    check(ran)


@pytest.mark.slow  # SMOOTH has the largest kernels
def test_both_halves_agree_with_integer_sums(smooth):
    check(smooth.again())


@pytest.mark.slow  # SMOOTH has the largest kernels
def test_gradients_equal_central_differences(smooth):
    at = smooth.again()
    gradients, length = at.gradients(), 0.05
    parameters = [*at.field.encoding.parameters(), *at.field.network.parameters()]
    for index, (p, gradient) in enumerate(zip(parameters, gradients, strict=True)):
        along = torch.from_numpy(gradient / np.linalg.norm(gradient)).float()
        start, losses = p.detach().clone(), []
        for sign in (1, -1):
            p.data = start + sign * length * along
            if at.plan.halves:
                p.data = p.data.half().float()
            losses.append((p.data, at.again().loss()))
        (after, high), (before, low) = losses
        went = float(np.sum((after - before).double().numpy() * gradient))  # as rounded
        p.data = start
        room = 1e-1 if at.plan.halves else 2e-2  # the third derivative; and rounding
        assert high - low == pytest.approx(went, rel=room), index


@pytest.mark.slow  # SMOOTH has the largest kernels
@pytest.mark.parametrize("planted", ["network", "encoding"])
def test_a_number_that_is_not_finite_is_told(smooth, planted):
    p = next(iter(getattr(smooth.field, planted).parameters()))
    before = p.detach().clone()
    p.data.view(-1)[0] = torch.nan
    counts = smooth.again().run.read("broken", np.uint32, FLAGS)
    p.data = before
    assert np.flatnonzero(counts).tolist() == [STEP % FLAGS]
    assert not smooth.again().run.read("broken", np.uint32, FLAGS).any()


@pytest.mark.parametrize("path", PATHS)
def test_a_sum_that_overflows_is_told(dispatch, gpu, rng, path):
    """The loss is finite, and without grids nothing but the sums of gradients is looked at."""
    ran = trained(dispatch, gpu, CASES[4], rng, path)
    state = StepState(STEP, 3, 2, 1, 3e38).pair().view(np.uint8)
    ran.run.write(states=state)
    ran.again()
    assert ran.run.read("broken", np.uint32, FLAGS)[STEP % FLAGS] > 0
