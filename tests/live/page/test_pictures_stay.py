"""What a page shows stays until there is something new to show."""

import pytest

DETAILS = "[...document.querySelectorAll('.slot:not([hidden]) .detail')].map(e => e.textContent)"
# Of what the first pane has in its middle, whether anything was drawn there at all
LEAST = """() => {
    const canvas = document.querySelector("#pane-area canvas");
    const {width, height} = canvas;
    return canvas.getContext("2d").getImageData(width / 2, height / 2, 1, 1).data[3];
}"""
WATCH = """() => {
    window.seen = new Set();
    const look = () => {
        for (const e of document.querySelectorAll(".slot:not([hidden]) .detail"))
            window.seen.add(e.textContent.replace(/[0-9, ]+/g, ""));
        requestAnimationFrame(look);
    };
    look();
}"""


@pytest.mark.slow
def test_the_last_pictures_stay_when_a_fit_has_ended(tab, live, background, fitting):
    job = fitting()
    page = tab(live.address)
    page.pixels("result")
    page.until(lambda: all(" x " in text for text in page.js(DETAILS)))
    page.js(WATCH)
    page.page.click("#stop")
    job.finish()  # nobody draws any more: what is seen is of the fit
    page.says("#state", "Stopped and saved")
    page.until(lambda: all(text.startswith("earlier: 32 x 24") for text in page.js(DETAILS)))
    page.page.evaluate("document.querySelector('#whole').click()")  # drawn again, from what it has
    page.page.wait_for_timeout(100)
    assert page.js(LEAST) == 255 and page.js("window.neuralshade.pixels('result')") is None
    background(live.wait)
    page.pixels("result")
    page.until(lambda: page.js(DETAILS)[:2] == ["32 x 24", "32 x 24"])
    assert not any("not drawn" in text for text in page.js("[...window.seen]"))


@pytest.mark.slow
def test_of_another_picture_nothing_stays(tab, shown, live, fitting):
    job = fitting()
    page = tab(live.address)
    page.pixels("result")
    page.page.select_option("#transform", "flip")  # 24 x 32
    page.until(lambda: "24 x 32" in page.text("#scene-size"))
    assert page.pixels("result").shape == (32, 24, 3)
    page.page.click("#stop")
    job.finish()
