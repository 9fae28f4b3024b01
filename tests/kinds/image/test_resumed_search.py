"""kinds/image: a search of codes that was interrupted is searched whole when it is resumed."""

import signal

import numpy as np
import pytest

import neuralshade
from neuralshade.engine import code_refinement

GRIDS = "dense_grid:levels=2,features=3,coarsest=2,width=8,height=6"


@pytest.mark.parametrize("band", [0, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_search_is_resumed_bit_for_bit(tmp_path, monkeypatch, band, number):
    picture = np.random.default_rng(3).random((21, 34, 3)).astype(np.float32)

    def fit(name, resume=None):
        options = neuralshade.FitOptions(engine="torch", resume=resume)
        return neuralshade.fit_image(picture, tmp_path / name, options=options, steps=20,
                                     polish=3, hidden_width=8, encoding=GRIDS)  # fmt: skip

    monkeypatch.setattr(code_refinement, "BAND_PIXELS", 128)  # bands of a few rows
    whole = neuralshade.load(fit("whole.nsh").asset).tensors
    improve, calls = code_refinement._BandSearch.improve, []

    def improved(self):
        calls.append(self)
        if len(calls) == band + 1:
            signal.raise_signal(number)
        return improve(self)

    with monkeypatch.context() as patched:
        patched.setattr(code_refinement._BandSearch, "improve", improved)
        found = fit("x.nsh")
    checkpoint = tmp_path / "x.checkpoint.nsh"
    assert len(calls) > band and not found.search.ended and checkpoint.exists()
    assert fit("x.nsh", checkpoint).search.ended and not checkpoint.exists()
    tensors = neuralshade.load(tmp_path / "x.nsh").tensors
    assert all(np.array_equal(tensors[name], values) for name, values in whole.items())
