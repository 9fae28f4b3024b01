"""The box of the learning rate: what cannot be is refused in a line, and changes nothing."""

import pytest


@pytest.mark.parametrize("typed", ["nan", "-1", "1e9"])
def test_a_rate_that_cannot_be_is_refused(tab, command, save_smooth, typed):
    save_smooth("photo.png", 24, 32)
    page = tab(command("fit", "image", "photo.png", "-o", "photo.nsh", "--seconds", "900",
                       "--batch", "512", "--encoding", "dense_grid:width=16,height=12",
                       "--hidden-width", "8"))  # fmt: skip
    page.says("#state", "Running")
    page.page.fill("#learning-rate-value", typed)
    page.press("Enter")
    page.until("document.querySelector('.notice.problem p') !== null")
    assert page.text(".notice.problem p") == (
        f"learning rate: got '{typed}', need a number from 0.01 to 100, times the recipe's."
    )
    assert page.page.locator("#learning-rate-value").input_value() == "x 1"
