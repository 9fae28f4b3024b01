"""The box of the learning rate: what cannot be is refused in a line, and changes nothing."""

import pytest


@pytest.mark.slow
def test_a_rate_that_cannot_be_is_refused(tab, live, fitting):
    fitting()
    page = tab(live.address)
    page.says("#state", "Running")
    told = page.page.locator(".notice.problem p")
    for typed in ("nan", "-1", "1e9"):
        page.page.fill("#learning-rate-value", typed)
        page.press("Enter")
        expected = (
            f"learning rate: got '{typed}', need a number from 0.01 to 100, times the recipe's."
        )
        page.until(lambda line=expected: line in told.all_inner_texts(), expected)
        assert page.page.locator("#learning-rate-value").input_value() == "x 1"
