"""level_jobs: each sample of each unit is in one job, and units fit a group's memory."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.engine.kernels.levels.level_jobs import encode_units, jobs_of, scatter_units
from neuralshade.model.parameters import Table

WORDS = 1000


def tables_of(entries: list[int], features: int) -> list[Table]:
    firsts = np.cumsum([0, *entries]) * features
    return [Table(int(first), count, features, 16)
            for first, count in zip(firsts, entries, strict=False)]  # fmt: skip


TABLES = st.builds(
    tables_of, st.lists(st.integers(1, WORDS - 8), min_size=1, max_size=16), st.just(2)
)


@given(tables=TABLES, joined=st.integers(0, WORDS), batch=st.integers(1, 3000),
       groups=st.integers(1, 40))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_every_sample_of_every_unit_is_in_one_job(tables, joined, batch, groups):
    for units in (encode_units(tables, WORDS), scatter_units(tables, WORDS, joined)):
        costs = [1.0 + 1.5 * len(unit.tables) + unit.features for unit in units]
        jobs, firsts = jobs_of(units, costs, batch, groups)
        assert len(firsts) == groups + 1 and firsts[0] == 0 and firsts[-1] == len(jobs)
        assert np.all(np.diff(firsts.astype(int)) >= 0)
        for unit in units:
            own = (unit.level, len(unit.tables), unit.feature, unit.features, unit.first,
                   unit.entries)  # fmt: skip
            seen = np.zeros(batch, int)
            for job in jobs[np.all(jobs[:, :6] == own, axis=1)]:
                seen[job[6] : job[7]] += 1
            assert np.all(seen == 1)
        assert len({tuple(job[:6]) for job in jobs}) == len(units)


@given(tables=TABLES, joined=st.integers(0, WORDS))
@settings(max_examples=100, deadline=None)
def test_units_fit_a_groups_memory_and_have_every_number_once(tables, joined):
    encoded, scattered = encode_units(tables, WORDS), scatter_units(tables, WORDS, joined)
    assert all(unit.entries * unit.features <= 2 * (WORDS - 8) for unit in encoded)
    assert all(unit.entries * unit.features <= WORDS - 8 for unit in scattered)
    for units in (encoded, scattered):
        seen = np.zeros((sum(table.entries for table in tables), 2), int)
        for unit in units:
            features = slice(unit.feature, unit.feature + unit.features)
            seen[unit.first : unit.first + unit.entries, features] += 1
        assert np.all(seen == 1)
