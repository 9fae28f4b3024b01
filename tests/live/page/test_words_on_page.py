"""The page asks before a fit is given up, and puts away what is past."""

import pytest


@pytest.mark.slow
def test_starting_again_asks_first(tab, live, fitting):
    fitting()
    page = tab(live.address)
    page.until(lambda: page.step > 5)
    page.page.click("#reset")
    page.says("#question-text", "Start this fit again with seed 1? The one that runs is given up.")
    page.page.get_by_role("button", name="Cancel").click()
    step = page.step
    page.until(lambda: page.step > step + 5)
    page.page.click("#reset")
    page.page.locator("#answers button").first.click()
    page.until("document.querySelector('#seed').value === '2'")
