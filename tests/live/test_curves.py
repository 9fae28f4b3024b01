"""live/live: a task that renders nothing has its curves on the page."""

import pytest

import neuralshade

SUM = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    [Differentiable] float loss(no_diff Thread thread) { return (a - 2) * (a - 2); }
}
"""


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "sum.slang"
    path.write_text(SUM)
    return path


@pytest.mark.slow  # a device of its own, whose kernels are compiled anew
def test_it_is_fitted_and_its_asset_can_be_had(device, live, background, look, task, tmp_path):
    job = background(live.run, neuralshade.fit_shader, task, tmp_path / "x.nsh",
                     steps=10**8, threads="4x4")  # fmt: skip
    page = look()
    page.until(lambda: page.fit and page.progress and page.progress["step"] >= 5)
    assert page.scene is None
    page.until(lambda: page.curve)
    assert page.fit["rated"] is False  # a page shows no PSNR, which would never come
    status, body = page.ask("/report")
    assert status == 409 and b"need it for a report" in body
    page.control("stop")
    result = job.finish()
    assert (tmp_path / "x.nsh").exists() and result.members["a"] == pytest.approx(2, abs=2)
    background(live.wait)
    assert page.state("ended")["text"].startswith(f"{tmp_path / 'x.nsh'}: loss ")
    assert page.scene is None
    status, body = page.ask("/asset")
    assert (status, body) == (200, (tmp_path / "x.nsh").read_bytes())
