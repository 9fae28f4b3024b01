"""cli: what is said on a terminal of few columns breaks at spaces; what goes to a pipe does not."""

import logging

import pytest

from neuralshade.cli.terminal import show_notes

REFUSED = ("fit", "image", "a.png", "--target-psnrr", "30")
MESSAGE = ("neuralshade: No such option '--target-psnrr'. Did you mean --target-psnr? See "
           "neuralshade fit image --help.")  # fmt: skip


@pytest.fixture
def narrow(monkeypatch, capsys):
    """Give a function that lets standard streams be a terminal of 60 columns.

    To be called in the test itself: pytest has other streams while fixtures are made.
    """

    def narrow(*streams):
        monkeypatch.setenv("COLUMNS", "60")
        for stream in streams:
            monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)

    return narrow


def test_an_error_breaks_at_spaces(run, narrow):
    """It broke wherever the terminal ended."""
    narrow("stderr")
    done = run(*REFUSED)
    assert done.code == 2 and done.err == [
        "neuralshade: No such option '--target-psnrr'. Did you mean",
        "  --target-psnr? See neuralshade fit image --help.",
    ]


def test_an_error_for_a_pipe_is_one_line(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert run(*REFUSED).err == [MESSAGE]


def test_a_warning_breaks_at_spaces(narrow, capsys, monkeypatch):
    narrow("stderr")
    log = logging.getLogger("neuralshade")
    monkeypatch.setattr(log, "handlers", [])
    show_notes(quiet=False)
    log.warning("%s", MESSAGE)
    lines = capsys.readouterr().err.splitlines()
    assert max(map(len, lines)) <= 60 and len(lines) == 2
