"""The page where a task or a material is chosen: sent where the server runs such, else told why."""

from pathlib import Path

import numpy as np
import pytest

from neuralshade.live.live import Live
from neuralshade.live.source_sets import NOT_ALLOWED

EXAMPLES = Path(__file__).parents[3] / "examples"
TASK = EXAMPLES / "shader" / "spherical_harmonics.slang"


@pytest.fixture
def live(request):
    with Live(port=0, run_shaders="refuses" not in request.node.name) as made:
        yield made


@pytest.mark.slow
def test_a_server_that_runs_none_refuses_in_a_line(tab, live, background):
    background(live.wait)
    page = tab(live.address)
    assert ".slang" not in page.page.inner_text("#drop-hint")
    page.page.select_option("#kind", "shader")
    page.page.fill("#fit-set", "a=1  b=0.5,2")
    assert page.text("#command").endswith("--set a=1 --set b=0.5,2 --live")
    assert page.text("#terminal-why").startswith(
        "It takes a Slang module. What ends with .slang runs as code: a server that was started "
        "with --run-shaders takes it. In a terminal"
    )
    assert page.page.locator("#start").is_hidden()
    page.page.set_input_files("#drop-file", TASK)
    page.until(lambda: NOT_ALLOWED in page.text("#notices"))
    page.said.clear()  # the browser's own line about the status
    page.page.select_option("#kind", "material")  # of maps it may be
    assert page.page.locator("#start").is_disabled()


@pytest.mark.slow
def test_a_task_with_its_picture_is_ready_to_be_fitted(tab, live, background, as_png, tmp_path):
    (tmp_path / "ball.png").write_bytes(as_png(np.full((4, 6, 3), 99, np.uint8)))
    background(live.wait)
    page = tab(live.address)
    page.until(lambda: ".mtlx, .toml, .slang" in page.page.inner_text("#drop-hint"))
    page.page.set_input_files("#drop-file", [tmp_path / "ball.png", TASK])
    page.says("#taken", "spherical_harmonics.slang, 1 picture: ready to be fitted.")
    assert page.page.locator("#kind").input_value() == "shader"
    assert page.text("#map-list").split() == ["ball.png", "6", "x", "4"]
    assert page.page.locator("#fit-set").is_visible()
    assert page.page.locator("#start").is_enabled()
    page.page.set_input_files("#drop-file", EXAMPLES / "material" / "velvet.toml")
    page.says("#taken", "velvet.toml: ready to be fitted.")
    assert page.page.locator("#kind").input_value() == "material"
    assert page.page.locator("#in-terminal").is_hidden()


@pytest.mark.slow
def test_numbers_that_are_set_go_to_the_task(tab, live, background, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    page = tab(live.address)
    page.page.set_input_files("#drop-file", TASK)
    page.says("#taken", "spherical_harmonics.slang: ready to be fitted.")
    page.page.fill("#fit-set", "no_such=1,2")
    page.page.click("#start")
    page.until(lambda: "set: got no_such, need one of " in page.text("#fit-text"))
