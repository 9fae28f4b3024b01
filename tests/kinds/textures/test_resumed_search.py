"""kinds/textures: a search of codes that was interrupted is searched whole when it is resumed."""

import signal

import numpy as np
import pytest
from fixtures.texture_sets import small_set

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.base import interrupt
from neuralshade.kinds.textures import code_search
from neuralshade.kinds.textures.fit import fit_textures

FEW = {"steps": 30, "batch": 256, "hidden_width": 16, "bpp": 20.0, "polish": 3}


@pytest.fixture
def maps():
    return small_set(16, 16)


@pytest.fixture
def fit(tmp_path, maps):
    """Give what fits, or resumes, into a file of a name."""

    def fit(name, resume=None):
        options = FitOptions(engine="torch", resume=resume)
        return fit_textures(maps, tmp_path / name, options=options, **FEW)

    return fit


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Give the tensors of a fit that nothing interrupted."""
    path = tmp_path_factory.mktemp("whole") / "x.nsh"
    fit_textures(small_set(16, 16), path, **FEW, options=FitOptions(engine="torch"))
    return neuralshade.load(path).tensors


def same(path, whole):
    tensors = neuralshade.load(path).tensors
    return tensors.keys() == whole.keys() and all(
        np.array_equal(values, whole[name]) for name, values in tensors.items())  # fmt: skip


def signalled(monkeypatch, module, name, call, number):
    """Send a signal before the so many-th call of a function."""
    wrapped, calls = getattr(module, name), []

    def called(*args, **named):
        calls.append(name)
        if len(calls) == call:
            signal.raise_signal(number)
        return wrapped(*args, **named)

    monkeypatch.setattr(module, name, called)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name, call", [
    ("search", 1), ("search", 3), ("_refitted", 1), ("_refitted", 2),
])  # fmt: skip
def test_an_interrupted_search_is_resumed_bit_for_bit(
    fit, whole, tmp_path, monkeypatch, caplog, name, call, number
):
    with monkeypatch.context() as patched:
        signalled(patched, code_search, name, call, number)
        found = fit("x.nsh")
    assert not found.search.ended and (tmp_path / "x.nsh").exists()
    checkpoint = tmp_path / "x.checkpoint.nsh"
    said = f"{found.asset} has the codes that were found so far; the fit is kept in {checkpoint}. "
    assert any(line.startswith(f"{said}Go on with: ") for line in caplog.messages)
    resumed = fit("x.nsh", checkpoint)
    assert resumed.search.ended and resumed.steps == FEW["steps"]
    assert same(tmp_path / "x.nsh", whole) and not checkpoint.exists()


def test_a_second_signal_keeps_the_state_before_the_search(fit, whole, tmp_path, monkeypatch):
    """The decoder was trained for the codes of the first passes by then."""
    monkeypatch.setattr(interrupt, "BOUNCE_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        signalled(patched, code_search, "_refitted", 2, signal.SIGINT)
        signalled(patched, code_search, "mip_errors", 6, signal.SIGINT)  # the second pass's
        with pytest.raises(FitInterrupted) as caught:
            fit("x.nsh")
    assert f"interrupted after step {FEW['steps']}: the fit is kept in" in str(caught.value)
    assert not (tmp_path / "x.nsh").exists()
    fit("x.nsh", tmp_path / "x.checkpoint.nsh")
    assert same(tmp_path / "x.nsh", whole)


def test_a_resumed_search_may_be_interrupted_too(fit, whole, tmp_path, monkeypatch):
    checkpoint = tmp_path / "x.checkpoint.nsh"
    for call in (2, 1):
        resume = checkpoint if checkpoint.exists() else None
        with monkeypatch.context() as patched:
            signalled(patched, code_search, "_refitted", call, signal.SIGINT)
            fit("x.nsh", resume)
        monkeypatch.setattr(interrupt.Interruption, "_asked", -1e9)
    fit("x.nsh", checkpoint)
    assert same(tmp_path / "x.nsh", whole) and not checkpoint.exists()


def test_a_checkpoint_that_cannot_be_written_is_told_and_the_asset_written(
    fit, tmp_path, monkeypatch, caplog
):
    from neuralshade.errors import OutputError

    def full(*args):
        raise OutputError("x.checkpoint.nsh: got no room, need some. Make room.")

    monkeypatch.setattr("neuralshade.fitting.job.keep", full)
    signalled(monkeypatch, code_search, "search", 1, signal.SIGINT)
    found = fit("x.nsh")
    assert not found.search.ended and (tmp_path / "x.nsh").exists()
    assert any("no checkpoint of step 30" in line for line in found.warnings)
