"""The box of the learning rate: what cannot be is refused in a line, and changes nothing."""

import pytest


@pytest.mark.parametrize("typed", ["nan", "-1", "1e9"])
def test_a_rate_that_cannot_be_is_refused(tab, live, fitting, typed):
    fitting()
    page = tab(live.address)
    page.says("#state", "Running")
    page.page.fill("#learning-rate-value", typed)
    page.press("Enter")
    page.until("document.querySelector('.notice.problem p') !== null")
    assert page.text(".notice.problem p") == (
        f"learning rate: got '{typed}', need a number from 0.01 to 100, times the recipe's."
    )
    assert page.page.locator("#learning-rate-value").input_value() == "x 1"
