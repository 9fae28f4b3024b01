"""The page tells what a fit warns of, and one loss."""

import numpy as np
import pytest

import neuralshade


@pytest.mark.slow
def test_a_fit_that_was_warned_of_does_not_end_in_green(tab, live, background, small, tmp_path):
    row, col = np.mgrid[:24, :32]
    picture = neuralshade.picture_from_array(np.stack([row, col, row + col], 2).astype(np.uint8))
    fit = background(live.run, neuralshade.fit_image, picture, tmp_path / "x.nsh", steps=5, **small)
    page = tab(live.address)
    page.says("#state", "Ended")
    warnings = page.js("[...document.querySelectorAll('#fit-warnings li')].map(e => e.textContent)")
    assert warnings == list(fit.finish().warnings) and warnings
    whole = page.js(
        "[...document.querySelectorAll('#fit-warnings .unbroken')].map(e => e.textContent)"
    )
    assert whole and all(line.endswith(tuple(whole)) for line in warnings)  # no period by itself
    assert page.js("document.querySelector('#state').matches('[data-doubtful]')")
    page.until("document.querySelector('#loss-read-out').textContent")
    assert page.text("#loss-read-out") == page.text("#loss")


@pytest.mark.slow
def test_one_psnr_is_told_at_a_time(tab, live, fitting):
    """The curve gets a point once the fit has gone on: the panel knows of it before."""
    fitting()
    page = tab(live.address)
    page.until(lambda: page.points() > 2)
    page.page.click("#pause")
    page.says("#state", "Paused")
    curve = live.channel.curve
    step, seconds = 10**6, curve[-1][1] + 1
    measured = {"psnr_db": 26.99, "psnr_about": True, "psnr_step": step, "psnr_stale": True}
    live.channel.publish("progress", {**live.channel.state["progress"], **measured})
    live.channel.add_curve([[step - 5, seconds, 0.01, 25.85]])
    page.says("#psnr-read-out", "about 26.99 dB")
    assert page.text("#psnr") == "about 26.99"
    assert page.text("#psnr-number dt") == "PSNR [dB], step 1,000,000"
    box = page.page.locator("#psnr-number dt").bounding_box()
    assert box["height"] < 30  # one line


@pytest.mark.slow
def test_a_loss_of_another_kind_begins_another_line(tab, live):
    """Its first point ends no line of the one before: that would look as if a fit had failed."""
    moved = """async (breaks) => {
        const {Chart} = await import(new URL("page/chart.js", location.href));
        const canvas = document.querySelector("#loss-chart").cloneNode();
        document.body.append(canvas);
        const chart = new Chart(canvas, "--first", () => {});
        chart.samples = [1, 2, 3, 4].map((x) => ({x, y: x, point: [x, x, x, null]}));
        chart.breaks = breaks;
        let count = 0;
        const {context} = chart, {moveTo} = context;
        context.moveTo = (x, y) => { count += 1; moveTo.call(context, x, y); };
        chart.draw();
        canvas.remove();
        return count;
    }"""
    page = tab(live.address)
    whole, broken, beyond = (page.js(moved, breaks) for breaks in ([], [2], [9]))
    assert whole == beyond > 0 and broken == whole + 1
