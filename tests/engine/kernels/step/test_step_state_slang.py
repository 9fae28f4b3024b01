"""step_state: counters, and the scale that falls at once and rises after good steps."""

import numpy as np
import pytest

from neuralshade.engine.kernels.step.step_state import STATE, StepState

RUN = """
import neuralshade.engine.kernels.step.step_state;
StructuredBuffer<StepState> before;
StructuredBuffer<uint> finite;
StructuredBuffer<float> loss;
RWStructuredBuffer<StepState> after;

[shader("compute")]
[numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID)
{
    if (thread.x < CASES)
        after[thread.x] = next_state(before[thread.x], finite[thread.x] != 0u, loss[thread.x]);
}
"""
GOOD = 2000  # steps, after which the scale is doubled
CASES = [  # state, whether finite, loss, what follows
    (StepState(0, 0, 0, 0, 64.0, 9.0), True, 0.5, StepState(1, 1, 1, 0, 64.0, 0.5)),
    (StepState(7, 4, 3, 3, 64.0), False, np.inf, StepState(8, 4, 0, 4, 32.0, np.inf)),
    (StepState(5000, 4990, GOOD - 2, 10, 64.0), True, 0.25,
     StepState(5001, 4991, GOOD - 1, 10, 64.0, 0.25)),
    (StepState(5001, 4991, GOOD - 1, 10, 64.0), True, 0.25,
     StepState(5002, 4992, 0, 10, 128.0, 0.25)),
    (StepState(5001, 4991, GOOD - 1, 10, 64.0), False, 1.0,
     StepState(5002, 4991, 0, 11, 32.0, 1.0)),
    (StepState(9, 9, GOOD - 1, 0, 49152.0), True, 1.0, StepState(10, 10, 0, 0, 65536.0, 1.0)),
    (StepState(9, 9, GOOD - 1, 0, 65536.0), True, 1.0, StepState(10, 10, 0, 0, 65536.0, 1.0)),
]  # fmt: skip


def test_what_follows_a_step(dispatch):
    states = np.concatenate([state.pair()[:1] for state, *_ in CASES])
    made = dispatch(RUN.replace("CASES", str(len(CASES))), {
        "before": states, "after": np.zeros_like(states),
        "finite": np.array([finite for _, finite, *_ in CASES], np.uint32),
        "loss": np.array([loss for *_, loss, _ in CASES], np.float32),
    })  # fmt: skip
    made.run(("main", 1))
    after = made.read("after", STATE, len(CASES))
    for index, (*_, wanted) in enumerate(CASES):
        assert StepState.of(after[index : index + 1]) == wanted, index


@pytest.mark.parametrize("loss", [0.0, 0.125])
def test_a_state_survives_the_round_trip(loss):
    state = StepState(2**32 - 1, 5, 6, 7, 0.5, loss)
    assert state.pair().shape == (2,) and state.pair()[0] == state.pair()[1]
    assert StepState.of(state.pair()) == state
