"""live/late_pages: a page that is opened while a fit finishes shows its last result."""

import threading

import numpy as np
import pytest

import neuralshade
from neuralshade.fitting.job import Job

SECONDS = 60  # that a test waits where the page is served: it takes a tenth of one


@pytest.fixture
def held(monkeypatch):
    """Hold the report of a fit until its page was looked at; give what lets it go on."""
    reached, go_on = threading.Event(), threading.Event()

    def write_report(self, *given):
        reached.set()
        assert go_on.wait(SECONDS)

    monkeypatch.setattr(Job, "write_report", write_report)
    yield reached, go_on
    go_on.set()


def test_a_page_opened_while_the_report_is_written_has_result_and_reference(
    held, fitting, look, tmp_path
):
    """It stayed empty until then, for minutes with large texture sets."""
    reached, go_on = held
    job = fitting(steps=40, options=neuralshade.FitOptions(report=tmp_path / "x.html"))
    assert reached.wait(SECONDS)
    page = look()
    assert page.fit["state"] == "finishing"
    frame = page.frame(parts=True)
    assert {image["pane"] for image in frame["images"]} == {"target", "result"}
    assert frame["step"] == 40 and not go_on.is_set()
    result = page.pictures["result"]
    go_on.set()
    reached_db = job.finish().psnr_db
    page.state("ended")
    drawn = neuralshade.load(tmp_path / "x.nsh").draw(result.shape[1], result.shape[0])
    error = np.abs(result[..., :3] / 255 - drawn.clip(0, 1)).mean()
    assert error < 0.05 and reached_db > 10


def test_who_has_a_frame_is_left_to_the_fit(held, fitting, look, tmp_path):
    reached, go_on = held
    job = fitting(steps=10**6, options=neuralshade.FitOptions(report=tmp_path / "x.html"))
    page = look()
    page.reach(1)
    page.frame(parts=True)
    page.control("stop")
    assert reached.wait(SECONDS)
    page.drain(0.5)
    count = len(page.frames)
    page.drain(0.5)
    assert len(page.frames) == count
    go_on.set()
    job.finish()
