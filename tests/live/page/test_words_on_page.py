"""The page asks before it stops a fit, and removes what is past."""

import pytest

import neuralshade


@pytest.mark.slow
def test_starting_again_asks_first(tab, live, fitting):
    fitting()
    page = tab(live.address)
    page.until(lambda: page.step > 5)
    page.page.click("#reset")
    page.says("#question-text", "Start this fit again with seed 1? The running one is stopped.")
    page.page.get_by_role("button", name="Cancel").click()
    step = page.step
    page.until(lambda: page.step > step + 5)
    page.page.click("#reset")
    page.page.locator("#answers button").first.click()
    page.until("document.querySelector('#seed').value === '2'")


def boxes(page):
    return page.js("[...document.querySelectorAll('.notice p')].map(p => p.textContent)")


@pytest.mark.slow
def test_boxes_over_pictures_go_when_they_are_past(tab, live, fitting):
    job = fitting(steps=5000)
    page = tab(live.address)
    page.says("#state", "Running")
    page.page.fill("#learning-rate-value", "-1")
    page.press("Enter")
    page.until(lambda: boxes(page))
    job.finish()
    page.says("#state", "Ended")
    page.until(lambda: not any("learning rate" in text for text in boxes(page)))


@pytest.mark.slow
def test_a_box_goes_by_itself_unless_it_is_pointed_at(tab, live, fitting):
    fitting()
    page = tab(live.address)
    page.page.clock.install()
    page.says("#state", "Running")
    page.page.fill("#learning-rate-value", "-1")
    page.press("Enter")
    page.page.locator(".notice").hover()
    page.page.clock.fast_forward(65_000)
    assert boxes(page)
    page.page.locator("#state").hover()
    page.page.clock.fast_forward(10_000)
    page.until(lambda: not boxes(page))


@pytest.mark.slow
def test_a_warning_is_told_once(tab, live, background, picture, small, tmp_path):
    page = tab(live.address)
    fit = background(live.run, neuralshade.fit_image, picture, tmp_path / "x.nsh", steps=5, **small)
    page.says("#state", "Ended")
    warnings = fit.finish().warnings
    assert warnings and not set(warnings) & set(boxes(page))


@pytest.mark.slow
def test_a_start_that_takes_its_time_is_told_at_once(tab, live, picture, as_png, tmp_path):
    path = tmp_path / "a.png"
    path.write_bytes(as_png(picture.pixels))
    page = tab(live.address)  # nobody waits: what is asked for is not done
    page.page.set_input_files("#upload-picture", path)
    page.until(lambda: page.page.locator("#start").is_enabled())
    page.page.click("#start")
    page.says("#start", "Starting ...")
    assert page.page.locator("#start").is_disabled()
    live.channel.publish("preparing", {"what": "fit image, a.png", "doing": "", "seconds": 0})
    page.says("#start", "Start")
