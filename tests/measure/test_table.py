"""measure/table: where there is no terminal a row is a line, and nothing in it is cut."""

import sys

import numpy as np
import pytest

from neuralshade.measure.quality_rows import ASTC_NOTED, rows_for
from neuralshade.measure.table import Column, Table, print_pairs, print_rows

NAMES = [f"a_long_name_of_a_map_{i}" for i in range(9)]


@pytest.fixture
def terminal(monkeypatch):
    """Give a function that lets standard output be a terminal of so many columns, and no color."""

    def terminal(columns):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "dumb")

    return terminal


def test_a_table_for_a_pipe_is_whole(capsys):
    row = dict.fromkeys(NAMES, 1.5) | {"name": "BC7, BC5, BC4 at half size " * 8}
    columns = [Column("", "name", right=False), *(Column(name, name, ".2f") for name in NAMES)]
    Table([row], columns).print()
    titles, line = capsys.readouterr().out.splitlines()
    assert titles.split() == NAMES
    assert line.startswith(row["name"]) and line.split()[-9:] == ["1.50"] * 9


def test_sentences_break_between_words_in_a_terminal(capsys, terminal):
    """They broke wherever the terminal ended: "as g / ood"."""
    line = "The smallest texture here that is as good is BC7: 45.00 dB, 50 % of the bytes."
    Table([], lines=[line]).print()
    assert capsys.readouterr().out == f"{line}\n"  # a pipe has it in one line
    terminal(40)
    Table([], lines=[line]).print()
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) > 1 and max(map(len, shown)) <= 40 and " ".join(shown) == line


def test_astc_is_spoken_of_where_there_is_a_row_of_it():
    """Tables of HDR pictures have none."""
    light = np.linspace(0, 4, 8 * 8 * 3, dtype=np.float32).reshape(8, 8, 3)
    assert ASTC_NOTED not in rows_for(light, light, 1_000, "linear").lines
    assert ASTC_NOTED in rows_for(light / 4, light / 4, 1_000, "srgb").lines


def test_numbers_are_whole_in_a_narrow_terminal(capsys, terminal):
    """They were cut to 0.01 and a dot where a table was wider than the terminal."""
    terminal(40)
    columns = [Column("a long name of it", "name", right=False),
               *(Column(f"{n}\nerror", n, ".4f") for n in "abcdef")]  # fmt: skip
    print_rows(columns, [{"name": "neuralshade here", **dict.fromkeys("abcdef", 0.12345)}])
    said = capsys.readouterr().out
    assert "\u2026" not in said and said.count("0.1235") == 6
    assert said.splitlines()[2].startswith("neuralshade") and "error" in said


def test_columns_that_have_no_room_stand_below(capsys, terminal):
    """The terminal broke lines of 91 columns where it ended, inside of numbers; names were cut."""
    terminal(60)
    rows = [{"name": "neuralshade", **dict.fromkeys(NAMES[:6], 1.5), "setting": "16 bits a number"},
            {"name": "JPEG", **dict.fromkeys(NAMES[:6], 2.5), "setting": ""}]  # fmt: skip
    columns = [Column("", "name", right=False), *(Column(n[-4:], n, "14.4f") for n in NAMES[:6]),
               Column("setting", "setting", right=False)]  # fmt: skip
    Table(rows, columns, lines=["  an indented line of so many words that it takes two"]).print()
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert max(map(len, lines)) <= 60
    assert lines.count("") == 2  # between three parts
    assert sum(line.startswith("neuralshade ") for line in lines) == 3
    assert sum(line.count("1.5000") for line in lines) == 6
    assert any("16 bits a number" in line for line in lines)


def test_names_and_values_are_in_two_columns(capsys, terminal):
    pairs = [("kind", "image, format 1"), ("picture", "photo.png, 1,024 x 768, 3 channels"),
             ("", "neuralshade fit image photo.png --resume photo.nsh.ckpt")]  # fmt: skip
    print_pairs(pairs)
    assert capsys.readouterr().out.splitlines() == [
        "kind     image, format 1",
        "picture  photo.png, 1,024 x 768, 3 channels",
        "         neuralshade fit image photo.png --resume photo.nsh.ckpt",
    ]
    terminal(40)
    print_pairs(pairs)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:3] == ["picture  photo.png, 1,024 x 768, 3", "         channels"]
    assert "".join(lines[3:]).replace("\\", "").split() == pairs[2][1].split()


def test_names_alone_are_broken_between_words(capsys, terminal):
    terminal(30)
    columns = [Column("", "name", right=False), Column("error", "of", ".4f")]
    print_rows(columns, [{"name": "seven plain words stand in this cell", "of": 0.5}])
    said = capsys.readouterr().out.splitlines()
    assert max(map(len, said)) <= 30 and sum("0.5000" in line for line in said) == 1
