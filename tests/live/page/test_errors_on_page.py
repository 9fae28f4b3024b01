"""The page's errors: only of samples that lie alike, and never of noise that a draft has."""

import numpy as np
import pytest

# Take pictures, each grey by column; return what the error of "result" is then
ERROR = """async ([pictures, lit]) => {
    const {Pictures} = await import(`${location.origin}/page/pictures.js`);
    const kept = new Pictures();
    for (const {pane, width, value, rows, ...rest} of pictures) {
        const source = new OffscreenCanvas(width, rows ? rows[1] : width / 2);
        const context = source.getContext("2d");
        for (let x = 0; x < width; x += 1) {
            context.fillStyle = `rgb(${Array(3).fill(value ?? 255 * (x % 2)).join()})`;
            context.fillRect(x, 0, 1, source.height);
        }
        const header = {step: 1, sharp: false, look: "", region: [0, 0, 1, 1], ...rest, rows};
        kept.take(new Map([[pane, {source, width, height: source.height, ...header}]]));
    }
    const made = kept.errors.of("result", "target", 1, lit);
    const {coarseness} = await import(`${location.origin}/page/samples.js`);
    const said = coarseness([kept.latest.get("result") ?? null]);
    return made && {said, width: made.width, sharp: made.sharp, step: made.step,
                    values: [...kept.bytes(made).data].filter((_, i) => i % 4 === 0)};
}"""
FINE = {"pane": "target", "width": 8, "sharp": True}  # black and white columns by turns
COARSE = {"pane": "result", "width": 4, "value": 127}  # what they are on average
NONE = 128  # no error


@pytest.fixture
def error(tab, live, background):
    background(live.wait)
    page = tab(live.address)

    def error(*pictures, lit=True):
        return page.js(ERROR, [list(pictures), lit])

    return error


@pytest.mark.slow
def test_of_what_is_lit_a_coarse_picture_is_no_error_of_a_sharp_one(error):
    assert error(FINE, COARSE) is None
    # but of one as coarse, which came before the sharp one
    found = error({**FINE, "width": 4, "value": 127, "sharp": False}, FINE, COARSE)
    assert set(found["values"]) == {NONE} and found["width"] == 4 and not found["sharp"]
    assert error({**FINE, "look": "another light"}, {**COARSE, "width": 8}) is None
    sharp = error(FINE, COARSE, {**FINE, "pane": "result", "step": 9})
    assert set(sharp["values"]) == {NONE} and sharp["width"] == 8 and sharp["sharp"]


@pytest.mark.slow
def test_noise_of_a_draft_is_no_error(error):
    draft = {**COARSE, "pane": "target", "value": 9, "draft": True}
    assert error(draft, COARSE) is None


@pytest.mark.slow
def test_pixels_are_compared_where_they_are_sampled(error):
    """Every other one, whose centers the coarse ones lie on; said to be as coarse as both are."""
    coarse = {**COARSE, "value": 255, "region": [1 / 16, 0, 17 / 16, 1]}
    found = error(FINE, coarse, lit=False)
    assert set(found["values"]) == {NONE} and found["width"] == 4 and not found["sharp"]
    assert not error({**FINE, "sharp": False}, {**FINE, "pane": "result"}, lit=False)["sharp"]


@pytest.mark.slow
@pytest.mark.parametrize("lit", [True, False])
def test_rows_that_are_still_coarse_are_no_errors(error, lit):
    target = {**FINE, "width": 4, "value": 127, "sharp": False}
    band = {"pane": "result", "width": 8, "step": 2, "sharp": True, "rows": [0, 2, 4]}
    found = error(target, FINE, COARSE, lit=lit)
    assert found["said"] == "coarse: "
    found = error(target, FINE, COARSE, band, lit=lit)
    assert found["step"] == 1 and found["width"] == 4 and found["said"] == "partly coarse: "
    found = error(target, FINE, COARSE, band, {**band, "rows": [2, 2, 4]}, lit=lit)
    assert found["said"] == ""
    assert found["step"] == 2 and found["sharp"] and np.ptp(found["values"]) == 0
