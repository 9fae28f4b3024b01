"""cli: how far a fit is, on a terminal and without one."""

import io
import os
import pty
import re
import subprocess

import pytest
from rich.console import Console

from neuralshade.cli import fit_bar
from neuralshade.cli.fit_status import fitting, status_parts
from neuralshade.cli.terminal import put_away, watch
from neuralshade.fitting.loop import Progress


@pytest.mark.slow
def test_progress_lines_without_a_terminal(run, folder, monkeypatch):
    monkeypatch.setattr("neuralshade.cli.terminal.PLAIN_SECONDS", 0.2)
    done = run("fit", "image", "a.png", "--seconds", "1", "--hidden-width", "8")
    lines = [line for line in done.err if not line.startswith("fit: ")]  # a second is short
    assert done.code == 0 and 1 <= len(lines) <= 6  # a busy machine looks up less often
    for line in lines:
        assert re.fullmatch(
            r"step [\d,]+  loss [-+.e\d]+  PSNR (-|(about )?\d+\.\d\d) dB(  \(step [\d,]+\))?  "
            r"\d+\.\d+ [kM] samples/s  \d+ s left",
            line,
        ), line
    assert "PSNR -" not in done.err[-1]  # it is first measured after 0.3 s


def test_time_left_is_not_told_where_nobody_knows_it(capsys):
    """A fit that ends by its PSNR alone has no share that is done."""
    watch_line = Progress(step=5, seconds=3.0, loss=0.1, share=0.0, samples_per_second=2e6)
    with watch(quiet=False) as observer:
        observer(watch_line)
    assert capsys.readouterr().err == "step 5  loss 0.1  PSNR - dB  2.00 M samples/s\n"


def test_no_rate_is_told_before_it_is_known(capsys):
    with watch(quiet=False) as observer:
        observer(Progress(step=1, seconds=30.0, loss=0.1, share=0.5, samples_per_second=0.0))
    assert capsys.readouterr().err == "step 1  loss 0.1  PSNR - dB  30 s left\n"


@pytest.mark.parametrize("columns, left_out", [
    (200, ""), (100, ""), (80, "rate"), (60, "rate loss"), (50, "rate loss"),
    (40, "rate loss step"), (30, "rate loss step left"), (5, "rate loss step left"),
])  # fmt: skip
def test_what_does_not_fit_beside_the_bar_is_left_out(columns, left_out):
    parts = {"step": "step 1,234,567", "loss": "loss 0.000123", "psnr": "PSNR 36.50 dB",
             "rate": "12.30 M samples/s", "left": "150 s left"}  # fmt: skip
    wanted = "  ".join(text for name, text in parts.items() if name not in left_out.split())
    assert fitting(parts, columns) == wanted


@pytest.mark.parametrize("columns", [120, 80, 79, 60, 40, 20, 8])
def test_progress_is_one_line_however_narrow(columns, monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, width=columns)
    monkeypatch.setattr(fit_bar, "Console", lambda stderr: console)
    bar = fit_bar.fit_bar()
    progress = Progress(step=1_234_567, seconds=100.0, loss=1.234e-4, psnr_db=36.5, share=0.4,
                        samples_per_second=12.3e6)  # fmt: skip
    bar.add_task("fit", total=1.0, completed=progress.share, parts=status_parts(progress))
    console.print(bar.get_renderable())
    [line] = shown.getvalue().splitlines()
    assert len(line) <= columns and "PSNR" in line
    assert columns < 20 or "\u2501" in line


@pytest.mark.slow
def test_progress_bar_on_a_terminal(folder, start):
    """A pseudo-terminal of 100 columns stands in for a person's."""
    leader, follower = pty.openpty()
    environment = {"TERM": "xterm-256color", "COLUMNS": "100"}
    process = start("fit", "image", "a.png", "--seconds", "1", "--hidden-width", "8",
                    cwd=folder, stdout=subprocess.DEVNULL, stderr=follower, text=False,
                    environment=environment)  # fmt: skip
    os.close(follower)
    shown = read_all(leader)
    assert process.wait(60) == 0, shown
    assert "\x1b[" in shown and "\u2501" in shown
    plain = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown)
    assert re.search(r"step [\d,]+  loss \S+  PSNR \S+ dB  \S+ [kM] samples/s", plain)
    assert re.search(r"\d+ s left", plain)
    assert "Traceback" not in shown


@pytest.mark.slow
def test_results_stand_on_lines_of_their_own_once_the_bar_is_gone(folder, few, start):
    leader, follower = pty.openpty()
    process = start("fit", "image", "a.png", *few, "--report", "a.html", cwd=folder,
                    stdout=follower, stderr=follower, text=False,
                    environment={"TERM": "xterm-256color", "COLUMNS": "100"})  # fmt: skip
    os.close(follower)
    shown = read_all(leader)
    assert process.wait(60) == 0, shown
    assert "\u2501" in shown
    lines = [line.rpartition("\x1b[2K")[2].strip() for line in shown.split("\n")]
    assert any(line.startswith("a.nsh: ") for line in lines), shown
    assert "a.html" in lines, shown


@pytest.mark.parametrize("back", [True, False])
def test_a_bar_is_put_away_and_is_back_while_a_page_stays(back, monkeypatch):
    console = Console(file=io.StringIO(), force_terminal=True)
    monkeypatch.setattr(fit_bar, "Console", lambda stderr: console)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with watch(quiet=False) as observer:
        with put_away(observer, back=back):
            assert not observer.bar.live.is_started
        assert observer.bar.live.is_started is back


def test_results_reach_a_pipe_beside_a_bar(folder, few, start):
    leader, follower = pty.openpty()
    process = start("fit", "image", "a.png", *few, cwd=folder, stderr=follower,
                    environment={"TERM": "xterm-256color", "COLUMNS": "100"})  # fmt: skip
    os.close(follower)
    shown = read_all(leader)
    told, _ = process.communicate(timeout=60)
    assert told.startswith("a.nsh: ") and "a.nsh: " not in shown


def read_all(descriptor):
    pieces = []
    while True:
        try:
            piece = os.read(descriptor, 65_536)
        except OSError:  # Linux ends a pseudo-terminal with EIO
            piece = b""
        if not piece:
            os.close(descriptor)
            return b"".join(pieces).decode()
        pieces.append(piece)
