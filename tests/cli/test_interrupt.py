"""cli: Ctrl-C, SIGTERM and a terminal that is closed keep what was learned; the printed command
goes on with it."""

import contextlib
import fcntl
import os
import re
import shlex
import signal
import termios
import time

import pytest

import neuralshade
from neuralshade.cli.main import main

LONG = ["--steps", "1000000", "--hidden-width", "8", "--batch", "256"]


def unignored():
    """Have SIGHUP heeded by what is started, whoever started these tests."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_a_checkpoint(folder, start, wait_for, number):
    (folder / "sub dir").mkdir()
    process = start("fit", "image", "a.png", "-o", "sub dir/x.nsh", "--snapshots", "snaps", *LONG,
                    cwd=folder, preexec_fn=unignored)  # fmt: skip
    wait_for(folder / "snaps/prediction_0000064.png")
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    *progress, last = err.splitlines()
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("step ") for line in progress)
    assert last.startswith("neuralshade: interrupted at step ")
    assert "the fit is kept in sub dir/x.checkpoint.nsh. Go on with: neuralshade fit" in last
    assert [p.name for p in (folder / "sub dir").iterdir()] == ["x.checkpoint.nsh"]


@pytest.mark.slow
def test_a_terminal_that_is_closed_leaves_a_checkpoint(folder, start):
    """Its progress bar has nowhere to go then, either."""
    ours, its = os.openpty()

    def take_terminal():
        fcntl.ioctl(its, termios.TIOCSCTTY, 0)
        unignored()

    process = start("fit", "image", "a.png", "--snapshots", "snaps", *LONG, cwd=folder, stdin=its,
                    stdout=its, stderr=its, start_new_session=True,
                    preexec_fn=take_terminal)  # fmt: skip
    os.close(its)
    os.set_blocking(ours, False)
    end = time.monotonic() + 60
    while not (folder / "snaps/prediction_0000064.png").exists():
        assert time.monotonic() < end
        with contextlib.suppress(BlockingIOError):  # else its bar would wait to be seen
            os.read(ours, 4096)
        time.sleep(0.01)
    os.close(ours)
    assert process.wait(timeout=600) == 130
    assert (folder / "a.checkpoint.nsh").exists() and not (folder / "a.nsh").exists()


def test_the_printed_command_works(folder, run, tmp_path, monkeypatch):
    """From the folder where the fit was started, with the picture in another one."""
    (folder / "my photos").mkdir()
    picture = (folder / "a.png").rename(folder / "my photos/a.png").relative_to(folder)
    few = ["--steps", "60", "--hidden-width", "8", "--seed", "9"]
    run("fit", "image", picture, "-o", "whole.nsh", *few)
    interrupt_at_step(monkeypatch, 20)
    done = run("fit", "image", picture, "-o", "parted.nsh", "--report", "r.html", *few)
    assert (done.code, done.out) == (130, [])
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    command = shlex.split(done.err[-1].partition("Go on with: ")[2])
    assert command.pop(0) == "neuralshade"
    done = run(*command)
    assert done.code == 0 and (folder / "r.html").exists()
    whole, parted = (neuralshade.load(name).tensors for name in ("whole.nsh", "parted.nsh"))
    assert whole.keys() == parted.keys()
    for name, value in whole.items():
        assert value.tobytes() == parted[name].tobytes(), name


def interrupt_at_step(monkeypatch, step):
    from neuralshade.engine.torch_engine import TorchEngine

    advance, made = TorchEngine.advance, []

    def interrupted(self, factors):
        made.extend(factors)
        if len(made) >= step:
            signal.raise_signal(signal.SIGINT)
        return advance(self, factors)

    monkeypatch.setattr(TorchEngine, "advance", interrupted)


@pytest.mark.slow  # three fits in three processes
def test_resumed_in_another_process_bit_for_bit(folder, start, wait_for):
    """The same, with real signals and nothing shared but the file."""
    few = ["--steps", "3000", "--preset", "tiny", "--batch", "64"]
    process = start("fit", "image", "a.png", "-o", "parted.nsh", "--snapshots", "snaps", *few,
                    cwd=folder)  # fmt: skip
    wait_for(folder / "snaps/prediction_0000064.png")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert not (folder / "snaps/prediction_0002048.png").exists()
    command = shlex.split(err.splitlines()[-1].partition("Go on with: ")[2])[1:]
    process = start(*command, "--json", cwd=folder)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    main(["fit", "image", "a.png", "-o", "whole.nsh", "--quiet", *few])
    whole, parted = (neuralshade.load(name).tensors for name in ("whole.nsh", "parted.nsh"))
    for name, value in whole.items():
        assert value.tobytes() == parted[name].tobytes(), name


def test_interrupted_outside_of_training(folder, run, monkeypatch):
    """Before and after the loop there is nothing to keep, and no traceback either."""

    def press(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("neuralshade.kinds.image.fit.load_picture", press)
    done = run("fit", "image", "a.png")
    assert (done.code, done.out, done.err) == (130, [], ["neuralshade: interrupted."])


def test_interrupted_while_writing(folder, run, monkeypatch, few):
    def press(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("neuralshade.base.atomic.os.replace", press)
    done = run("fit", "image", "a.png", *few)
    assert (done.code, done.out, done.err) == (130, [], ["neuralshade: interrupted."])
    assert [p.name for p in folder.iterdir()] == ["a.png"]


def test_full_disk_for_the_checkpoint(folder, run, mount, monkeypatch):
    disk = mount("size=16k")
    interrupt_at_step(monkeypatch, 2)
    done = run("fit", "image", "a.png", "-o", disk / "x.nsh", "--steps", "9", "--quiet",
               "--encoding", "dense_grid:width=200,height=100")  # fmt: skip
    assert (done.code, done.out) == (130, [])
    told = r"neuralshade: interrupted at step \d+: the fit is kept in \S+/x\.checkpoint\.nsh\. "
    assert re.match(told, done.err[-1])
    assert list(disk.iterdir()) == []
