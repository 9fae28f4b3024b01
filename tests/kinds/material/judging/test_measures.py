"""kinds/material/judging/measures.py: what is told of light itself, against what is known of it."""

import numpy as np
import pytest
from fixtures.small_material import paint

from neuralshade.kinds.material.judging.judge import Judged
from neuralshade.kinds.material.judging.measures import SAMPLINGS, Measures
from neuralshade.kinds.material.schema import RULES


@pytest.fixture(scope="module")
def measures(painted):
    """Give the measures of the paint of the fixtures."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("neuralshade.kinds.material.judging.measures.PAIRS", 4096)
        yield Measures(painted)


def test_the_reference_itself_is_without_error(measures):
    found = measures.measure(lambda *at: paint(*at).astype(np.float32))
    for way in SAMPLINGS:
        assert found[f"smape_{way}"] < 1e-4 and found[f"l1_{way}"] < 1e-4
    assert abs(found["bias"]) < 1e-4 and found["albedo_p95"] < 1e-4
    assert found["albedo_most"] == pytest.approx(found["teacher_albedo_most"], rel=1e-4)
    assert found["reciprocity"] == pytest.approx(found["teacher_reciprocity"], abs=1e-4)


def test_a_gap_is_that_of_the_closed_form(measures):
    assert 0 <= measures.gap < 1e-3  # it reads the half vector alone


def test_a_tenth_more_light_is_told_as_that(measures):
    found = measures.measure(lambda *at: 1.1 * paint(*at).astype(np.float32))
    for name in ("bias", "l1_uniform", "l1_half", "l1_highlight"):
        assert found[name] == pytest.approx(0.1, abs=1e-3)
    assert 0.09 < found["albedo_mean"] < 0.1001
    assert found["albedo_grazing"] == pytest.approx(0.1, abs=1e-3)
    assert found["albedo_most"] == pytest.approx(1.1 * found["teacher_albedo_most"], rel=1e-3)


def test_grazing_eyes_have_an_error_of_their_own(measures):
    """Light that is lost towards them is no error of the others."""

    def shade(uv, wi, wo):
        return np.where(wo[:, 2:] < 0.1, 0, paint(uv, wi, wo)).astype(np.float32)

    found = measures.measure(shade)
    assert found["albedo_grazing"] == pytest.approx(1) and found["albedo_p95"] < 1e-4


def test_nothing_is_an_error_of_all(measures):
    found = measures.measure(lambda uv, wi, wo: np.zeros((len(uv), 3), np.float32))
    assert found["l1_highlight"] == pytest.approx(1) and found["bias"] == pytest.approx(-1)
    assert found["reciprocity"] == 0


def test_what_depends_on_the_eye_alone_is_not_reciprocal(measures):
    """f = wo.z: the gap is 2 |a - b| / (a + b), of median 2 / 3 for uniform cosines."""
    found = measures.measure(lambda uv, wi, wo: np.repeat(wi[:, 2:] * wo[:, 2:], 3, axis=1))
    assert found["reciprocity"] == pytest.approx(2 / 3, abs=0.05)


def test_an_albedo_is_a_mean_over_directions(measures):
    """White sends back all of it."""
    found = measures.measure(lambda uv, wi, wo: np.repeat(wi[:, 2:] / np.pi, 3, axis=1))
    assert found["albedo_most"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("width", [0.03, 0.1, 0.2])
def test_an_albedo_of_a_highlight(measures, width):
    """The density of mirrored half vectors of a GGX: its integral is 1, less what lies below."""

    def shade(uv, wi, wo):
        half = (wi + wo) / np.linalg.norm(wi + wo, axis=1, keepdims=True)
        spread = half[:, 2] ** 2 * (width**2 - 1) + 1
        density = width**2 / (np.pi * spread**2) * half[:, 2] / (4 * (wo * half).sum(1))
        return np.repeat(density[:, None], 3, axis=1).astype(np.float32)

    found = measures.measure(shade)
    assert found["albedo_most"] == pytest.approx(1, abs=0.1)


def test_what_no_file_holds_is_told_as_the_most_that_one_does():
    """A mirror's fit once could not be written: its error was a million times its light."""
    light = dict.fromkeys(("l1_uniform", "albedo_grazing"), 1.2e6) | {"bias": -2.5e7, "flip": 0.25}
    facts = Judged(31.5, 30.0, 140.0, None, light).facts()
    assert facts == {"psnr_db": 31.5, "worst_db": 30.0, "sky_db": 140.0, "l1_uniform": 1e6,
                     "albedo_grazing": 1e6, "bias": -1e6, "flip": 0.25}  # fmt: skip
    RULES["quality"].check(facts, "quality")
