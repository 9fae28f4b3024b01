"""fitting/notebook: a fit in a notebook shows a bar by itself, and only there."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import neuralshade

FEW = {"steps": 3, "encoding": "identity", "hidden_width": 8, "polish": 0}
OPTIONS = neuralshade.FitOptions(engine="torch")


@pytest.fixture
def shown(monkeypatch):
    """Give what a Jupyter kernel was sent, page after page."""
    pages = []
    jupyter, display = ModuleType("IPython"), ModuleType("IPython.display")
    jupyter.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.HTML = str
    display.display = lambda page, display_id: (
        pages.append(page) or SimpleNamespace(update=pages.append)
    )
    monkeypatch.setitem(sys.modules, "IPython", jupyter)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return pages


def fit(folder, **settings):
    pixels = np.linspace(0, 1, 5 * 7 * 3, dtype=np.float32).reshape(5, 7, 3)
    return neuralshade.fit_image(pixels, folder / "a.nsh", options=OPTIONS, **FEW, **settings)


def test_a_bar_follows_a_fit(shown, tmp_path):
    result = fit(tmp_path)
    assert shown[0] == '<progress value="0.000" max="1"></progress> starting'
    assert shown[-1].startswith('<progress value="1.000" max="1"></progress> ')
    assert f"{result.psnr_db:.2f} dB after 3 steps" in shown[-1]


def test_who_passes_an_observer_sees_no_bar(shown, tmp_path):
    fit(tmp_path, observer=lambda progress: None)
    assert shown == []


def test_a_terminal_of_ipython_is_no_notebook(shown, tmp_path):
    sys.modules["IPython"].get_ipython = lambda: SimpleNamespace()
    fit(tmp_path)
    sys.modules["IPython"].get_ipython = lambda: None
    fit(tmp_path)
    assert shown == []
