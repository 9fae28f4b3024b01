"""kinds/material/query_checks: what an opened material may be asked, and what it refuses."""

import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError, ShapeError
from neuralshade.kinds.material.query_checks import check_places, check_uniform

DATA = Path(__file__).parents[2] / "data/material.nsh"
UV = [[0.25, 0.5], [0.75, 0.1]]
WI, WO, U = [[0, 0, 1], [0.6, 0, 0.8]], [[0, 0.6, 0.8], [0, 0, 1]], [[0.1, 0.5, 0.2], [0.9, 0, 1]]
CALLS = {"eval": ("uv", "wi", "wo"), "sample": ("uv", "wo", "u"), "pdf": ("uv", "wi", "wo")}
GIVEN = {"uv": UV, "wi": WI, "wo": WO, "u": U}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    path = tmp_path_factory.mktemp("asked") / "material.nsh"
    shutil.copy(DATA, path)
    return neuralshade.load(path)


def asked(opened, verb, **changed):
    """Return what a method answers to the above, of which some is ``changed``."""
    given = {name: GIVEN[name] for name in CALLS[verb]} | changed
    return getattr(opened, verb)(**given)


@pytest.mark.parametrize("verb", CALLS)
def test_lists_are_as_good_as_arrays(opened, verb):
    arrays = {name: np.array(GIVEN[name], np.float64) for name in CALLS[verb]}
    for array in arrays.values():
        array.flags.writeable = False
    lists, others = asked(opened, verb), asked(opened, verb, **arrays)
    np.testing.assert_array_equal(lists[0], others[0])
    assert np.isfinite(lists[0]).all() and lists[0].dtype == np.float32


@pytest.mark.parametrize("verb", CALLS)
def test_one_place_is_answered_without_a_warning(opened, verb):
    one = {name: np.float32(GIVEN[name][:1]) for name in CALLS[verb]}
    one["uv"].flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(np.atleast_2d(asked(opened, verb, **one)[0])) == 1


def test_nothing_is_seen_from_below(opened):
    below = [[0, 0, -1], [0.6, 0, -0.8]]
    assert not asked(opened, "eval", wo=below).any() and not asked(opened, "eval", wi=below).any()
    assert not asked(opened, "pdf", wo=below).any() and not asked(opened, "pdf", wi=below).any()
    wi, density = asked(opened, "sample", wo=below)
    assert not density.any()
    np.testing.assert_allclose(np.linalg.norm(wi, axis=1), 1, atol=1e-5)
    assert asked(opened, "eval").min() > 0 and asked(opened, "pdf").min() > 0


@pytest.mark.parametrize("verb, changed, kind, said", [
    ("eval", {"uv": [0.5, 0.5]}, ShapeError,
     "eval.uv: got shape [2], need [n, 2]. Put each place into a row of its own."),
    ("eval", {"uv": [[0.5, 0.5, 0.5]]}, ShapeError,
     "eval.uv: got shape [1, 3], need [n, 2]. Put each place into a row of its own."),
    ("pdf", {"uv": [[0.5, np.nan]]}, ShapeError,
     "pdf.uv: got NaN or infinity, need finite numbers. Replace them first."),
    ("eval", {"level": np.nan}, ShapeError,
     "eval.level: got NaN or infinity, need finite numbers. Replace them first."),
    ("sample", {"level": [0, 1, 2]}, ShapeError,
     "sample.level: got shape [3], need one number or [2], as many as places. Change it."),
    ("eval", {"wi": [0, 0, 1]}, ShapeError,
     "eval.wi: got shape [3], need [2, 3], a row for each place of uv. Repeat what is for all."),
    ("pdf", {"wi": [[0, 0, 1]]}, ShapeError,
     "pdf.wi: got shape [1, 3], need [2, 3], a row for each place of uv. Repeat what is for all."),
    ("sample", {"u": [[0.5, 0.5]]}, ShapeError,
     "sample.u: got shape [1, 2], need [2, 3], a row for each place of uv. Repeat what is for "
     "all."),
    ("eval", {"wi": [[0, 0, 1], [0, 0, 3]]}, ConfigError,
     "eval.wi: got a direction of length 3 in row 1, need length 1. Divide each by its length."),
    ("sample", {"wo": [[0, 0, 0], [0, 0, 1]]}, ConfigError,
     "sample.wo: got a direction of length 0 in row 0, need length 1. Divide each by its length."),
    ("sample", {"u": [[0.5, 0.5, -0.5], [0.5, 1.5, 0.5]]}, ConfigError,
     "sample.u: got numbers from -0.5 to 1.5, need them from 0 to 1. Change them."),
    ("eval", {"wo": "up"}, ShapeError, None),
    ("eval", {"wo": [[0, 0, 1], [0, 1]]}, ShapeError, None),
])  # fmt: skip
def test_what_is_refused(opened, refusal, verb, changed, kind, said):
    found = refusal(kind, asked, opened, verb, **changed)
    assert found == said or (said is None and found.startswith("eval.wo: got no numbers ("))


def test_shares_of_inputs_are_all_or_none(refusal, same_message):
    at, levels = check_places("eval", [[0.5, 0.5]], 2, [0.25])
    assert at.tolist() == [[0.5, 0.5, 0.25]] and levels.tolist() == [2]
    at, _ = check_places("eval", [[0.5, 0.5, 1.000001]], 0, [0.25])
    assert at.shape == (1, 3)
    message = refusal(ShapeError, check_places, "eval", [[0.5, 0.5, 1, 1]], 0, [0.25])
    same_message(message, "eval.uv", "Put")
    message = refusal(ConfigError, check_places, "eval", [[0.5, 0.5, 2]], 0, [0.25])
    same_message(message, "eval.uv", "Change")


def test_one_is_taken_for_what_is_just_below():
    assert check_uniform("sample.u", [[0, 0.5, 1]], 1).max() < 1
