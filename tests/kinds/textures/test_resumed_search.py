"""kinds/textures: a search of codes that was interrupted is searched whole when it is resumed."""

import contextlib
import signal
import sys

import numpy as np
import pytest
from fixtures.texture_sets import small_set

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.base import interrupt
from neuralshade.errors import DeviceError
from neuralshade.fitting.job import Job
from neuralshade.fitting.loop import Loop
from neuralshade.kinds.textures import code_refinement
from neuralshade.kinds.textures import fit as fitted
from neuralshade.kinds.textures.engine import TorchTexturesEngine
from neuralshade.kinds.textures.fit import fit_textures

FEW = {"steps": 30, "batch": 256, "hidden_width": 16, "bpp": 20.0, "polish": 3}


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Give signals their usual handlers, and no time since the last: it may be a bounce."""
    usual = {number: signal.SIG_DFL for number in interrupt.SIGNALS}
    usual[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    monkeypatch.setattr(interrupt.Interruption, "_requested_at", -1e9)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


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
    ("descend_codes", 1), ("descend_codes", 3), ("_refitted", 1), ("_refitted", 2),
])  # fmt: skip
def test_an_interrupted_search_is_resumed_bit_for_bit(
    fit, whole, tmp_path, monkeypatch, caplog, name, call, number
):
    with monkeypatch.context() as patched:
        signalled(patched, code_refinement, name, call, number)
        found = fit("x.nsh")
    assert not found.search.ended and (tmp_path / "x.nsh").exists()
    checkpoint = tmp_path / "x.checkpoint.nsh"
    said = f"{found.asset} has the codes that were found so far; the fit is kept in {checkpoint}. "
    assert any(line.startswith(f"{said}Go on with: ") for line in caplog.messages)
    resumed = fit("x.nsh", checkpoint)
    assert resumed.search.ended and resumed.steps == FEW["steps"]
    assert same(tmp_path / "x.nsh", whole) and not checkpoint.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("module, name", [
    (code_refinement, "searcher_of"), (fitted, "refine_codes"), (fitted, "map_psnr"),
    (fitted, "save_asset"),
])  # fmt: skip
def test_around_the_search_a_signal_is_an_interruption_too(
    fit, whole, tmp_path, monkeypatch, number, module, name
):
    """Of a program's own, whose SIGTERM would end the process at once."""
    checkpoint = tmp_path / "x.checkpoint.nsh"
    with monkeypatch.context() as patched:
        signalled(patched, module, name, 1, number)
        if name == "searcher_of":
            assert not fit("x.nsh").search.ended
        else:
            with pytest.raises(FitInterrupted, match="interrupted after step 30: the fit is kept"):
                fit("x.nsh")
    monkeypatch.setattr(interrupt.Interruption, "_requested_at", -1e9)
    fit("x.nsh", checkpoint)
    assert same(tmp_path / "x.nsh", whole) and not checkpoint.exists()


def test_a_device_that_is_lost_in_the_search_has_taken_no_trained_numbers_along(
    fit, whole, tmp_path, monkeypatch
):
    def lost(*args):
        raise DeviceError("GPU: got a lost device, need one. Start again.")

    with monkeypatch.context() as patched:
        patched.setattr(fitted, "map_psnr", lost)
        patched.setattr(code_refinement, "_refitted", lost)
        refine_codes = fitted.refine_codes

        def refined(*args):
            patched.setattr(TorchTexturesEngine, "state", lost)
            return refine_codes(*args)

        patched.setattr(fitted, "refine_codes", refined)
        with pytest.raises(DeviceError, match=r"got a lost device.* The fit is kept in .*resume"):
            fit("x.nsh")
    fit("x.nsh", tmp_path / "x.checkpoint.nsh")
    assert same(tmp_path / "x.nsh", whole)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_call_after_the_last_step_loses_nothing(
    fit, whole, tmp_path, monkeypatch, number
):
    """Either the asset is there, with the bits of a whole fit, or a checkpoint that leads to it."""
    calls = Calls(monkeypatch, number)
    fit("x.nsh")
    moments = np.linspace(1, 0.98 * calls.end(), 8, dtype=int)
    checkpoint, asset = tmp_path / "x.checkpoint.nsh", tmp_path / "x.nsh"
    for moment in moments.tolist():
        monkeypatch.setattr(interrupt.Interruption, "_requested_at", -1e9)
        asset.unlink(missing_ok=True)
        calls.at = moment
        with contextlib.suppress(FitInterrupted):
            fit("x.nsh")
        calls.end()
        monkeypatch.setattr(interrupt.Interruption, "_requested_at", -1e9)
        if checkpoint.exists():
            calls.at = None
            fit("x.nsh", checkpoint)
            calls.end()
        assert same(asset, whole) and not checkpoint.exists()


class Calls:
    """Counts calls of Python functions from a loop's last step to the fit's end; signals at one."""

    def __init__(self, monkeypatch, number):
        self.count, self.at, advance, settle = 0, None, Loop._advance, Job._settle

        def called(frame, event, arg):
            self.count += event == "call"
            if event == "call" and self.count == self.at:
                sys.setprofile(None)
                signal.raise_signal(number)

        def advanced(loop, steps):
            if loop.progress.step + steps >= FEW["steps"]:
                self.count = 0
                sys.setprofile(called)
            return advance(loop, steps)

        def settled(job):
            settle(job)
            sys.setprofile(None)

        monkeypatch.setattr(Loop, "_advance", advanced)
        monkeypatch.setattr(Job, "_settle", settled)

    def end(self):
        """Count no more; return how many there were."""
        sys.setprofile(None)
        return self.count


def test_a_second_signal_keeps_the_state_before_the_search(fit, whole, tmp_path, monkeypatch):
    """The decoder was trained for the codes of the first passes by then."""
    monkeypatch.setattr(interrupt, "BOUNCE_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        signalled(patched, code_refinement, "_refitted", 2, signal.SIGINT)
        signalled(patched, code_refinement, "mip_errors", 5, signal.SIGINT)  # the second pass's
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
            signalled(patched, code_refinement, "_refitted", call, signal.SIGINT)
            fit("x.nsh", resume)
        monkeypatch.setattr(interrupt.Interruption, "_requested_at", -1e9)
    fit("x.nsh", checkpoint)
    assert same(tmp_path / "x.nsh", whole) and not checkpoint.exists()


def test_a_checkpoint_that_cannot_be_written_is_told_and_the_asset_written(
    fit, tmp_path, monkeypatch, caplog
):
    from neuralshade.errors import OutputError

    def full(*args):
        raise OutputError("x.checkpoint.nsh: got no room, need some. Make room.")

    monkeypatch.setattr("neuralshade.fitting.job.keep", full)
    signalled(monkeypatch, code_refinement, "descend_codes", 1, signal.SIGINT)
    found = fit("x.nsh")
    assert not found.search.ended and (tmp_path / "x.nsh").exists()
    assert any("no checkpoint of step 30" in line for line in found.warnings)
