"""kinds/material/step_thinning: steps that run, for any chunks and after a restart."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.kinds.material.step_thinning import StepThinning


class Counted:
    """Steps that keep the factors they were given; their loss is the last one."""

    skipped = 3

    def __init__(self):
        self.had = []

    def advance(self, rate_factors):
        self.had += rate_factors
        return float(self.had[-1])

    def state(self):
        return {"had": torch.tensor(self.had)}

    def load_state(self, state):
        assert set(state) == {"had"}
        self.had = state["had"].tolist()


@given(st.integers(1, 7), st.lists(st.integers(1, 9), min_size=1, max_size=8), st.data())
def test_every_nth_is_run_however_steps_are_cut(every, lengths, data):
    steps, step = StepThinning(Counted(), every), 0
    restarted = data.draw(st.integers(0, len(lengths) - 1))
    for number, length in enumerate(lengths):
        if number == restarted:
            kept, steps = steps.state(), StepThinning(Counted(), every)
            steps.load_state(kept)
        loss = steps.advance([float(i) for i in range(step, step + length)])
        step += length
        assert loss == (step - 1) // every * every
    assert steps.inner.had == list(range(0, step, every))
    assert steps.skipped == 3
