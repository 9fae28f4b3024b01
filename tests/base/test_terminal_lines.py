"""base/terminal_lines: what a narrow terminal breaks, it breaks at spaces."""

import io
import os
import subprocess
import sys

import pytest

from neuralshade.base.terminal_lines import USUAL_COLUMNS, broken, columns_of

MESSAGE = ("neuralshade: bricks.png: got no such file, need a picture of three channels. Check "
           "the path.")  # fmt: skip
KEPT = ("interrupted at step 12: the fit is kept in a.nsh.ckpt. Go on with: neuralshade fit image "
        "'my own picture.png' -o a.nsh --report page.html --resume a.nsh.ckpt")  # fmt: skip


class Terminal(io.StringIO):
    """A stream of a terminal that does not say how many columns it has."""

    def isatty(self):
        return True


def test_lines_break_at_spaces_and_what_goes_on_stands_in():
    lines = broken(MESSAGE, 40).split("\n")
    assert lines == [
        "neuralshade: bricks.png: got no such",
        "  file, need a picture of three",
        "  channels. Check the path.",
    ]
    assert broken(MESSAGE, len(MESSAGE)) == broken(MESSAGE, None) == MESSAGE


def test_each_line_is_broken_by_itself():
    """As of Slang's diagnostics, whose own indentation stays."""
    assert broken("one two\n    three four five\n\tsix", 14).split("\n") == [
        "one two", "    three four", "      five", "        six",
    ]  # fmt: skip


def test_a_word_that_is_too_long_is_left_to_the_terminal():
    assert broken("see https://www.nvidia.com/drivers now", 12).split("\n") == [
        "see", "  https://www.nvidia.com/drivers", "  now",
    ]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="of POSIX shells")
def test_a_command_can_be_copied_from_a_narrow_terminal(tmp_path):
    """A shell that got its first line alone would start the fit anew."""
    said = broken(KEPT, 50)
    assert max(map(len, said.split("\n"))) <= 50 and "'my own picture.png'" in said
    command = said[said.index("neuralshade fit") :].replace("neuralshade", "printf '%s\\n'", 1)
    words = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert words.stdout.split("\n") == [
        "fit", "image", "my own picture.png", "-o", "a.nsh", "--report", "page.html", "--resume",
        "a.nsh.ckpt", "",
    ]  # fmt: skip


def test_a_command_that_fits_stands_whole():
    assert broken("no answer within fifteen seconds. Run: pip install slangpy", 40).split("\n") == [
        "no answer within fifteen seconds. Run:", "  pip install slangpy",
    ]  # fmt: skip
    assert broken("          -> pip install slangpy", 20, 13).split("\n") == [
        "          -> pip \\", "             install \\", "             slangpy",
    ]  # fmt: skip


def test_a_terminal_says_how_many_columns_it_has(monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    assert columns_of(io.StringIO()) is columns_of(None) is None  # a pipe is not broken
    assert columns_of(Terminal()) == 44
    for nothing in ("", "0", "wide"):
        monkeypatch.setenv("COLUMNS", nothing)
        assert columns_of(Terminal()) == USUAL_COLUMNS


@pytest.mark.skipif(sys.platform == "win32", reason="has no such terminals")
def test_a_terminal_of_the_system_is_asked(monkeypatch):
    import fcntl
    import pty
    import struct
    import termios

    monkeypatch.delenv("COLUMNS", raising=False)
    ends = pty.openpty()
    fcntl.ioctl(ends[1], termios.TIOCSWINSZ, struct.pack("HHHH", 20, 57, 0, 0))
    with os.fdopen(ends[0], "rb"), os.fdopen(ends[1], "w") as terminal:
        assert columns_of(terminal) == 57
