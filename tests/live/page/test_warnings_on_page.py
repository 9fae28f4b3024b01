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
    assert page.js("document.querySelector('#state').matches('[data-doubtful]')")
    page.until("document.querySelector('#loss-read-out').textContent")
    assert page.text("#loss-read-out") == page.text("#loss")
