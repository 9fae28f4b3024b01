"""What a terminal would obey, in a stranger's file, is shown escaped: by info, messages, pages."""

import dataclasses

import pytest
from click.testing import CliRunner

from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.base.message_text import plain, plain_lines
from neuralshade.cli.main import commands, main
from neuralshade.measure.page import write_page
from neuralshade.measure.table import Column, Table

CLEARS = "\x1b[2J\x1b]0;gone\x07"
ESCAPED = r"\x1b[2J\x1b]0;gone\x07"


@pytest.fixture
def forged(small_kinds, tmp_path):
    """Return what writes an asset of a kind with such a name."""

    def forged(name):
        asset = read_asset(small_kinds[name].asset)
        header = asset.header
        if header.picture is not None:
            header = dataclasses.replace(header, picture=header.picture | {"name": CLEARS})
        for part, facts in header.own.items():
            if "name" in facts:
                header = dataclasses.replace(header, own={part: {**facts, "name": CLEARS}})
        save_asset(tmp_path / "x.nsh", name, header, asset.tensors)
        return tmp_path / "x.nsh"

    return forged


@pytest.mark.parametrize("text, shown", [
    ("a b", "a b"), (CLEARS, ESCAPED), ("\u202egnp.exe", r"\u202egnp.exe"), ("a\nb", r"a\nb"),
    ("caf\u00e9 \u65e5", "caf\u00e9 \u65e5"), ("\x9b31m", r"\x9b31m"), ("'\\\x00", r"'\\x00"),
])  # fmt: skip
def test_plain(text, shown):
    assert plain(text) == shown and plain(text).isprintable()


def test_names_that_are_no_text_keep_their_bytes():
    """But for those that terminals of 8 bits obey."""
    assert plain("\udce4\udcff.nsh") == "\udce4\udcff.nsh"
    assert plain("\udc9b31m") == r"\udc9b31m"


def test_lines_stay_lines():
    assert plain_lines(f"a\n\tb{CLEARS}") == f"a\n\tb{ESCAPED}"


@pytest.mark.parametrize("name", ["image", "splats", "mipmaps", "textures", "shader"])
def test_info_shows_it(forged, name):
    done = CliRunner().invoke(commands, ["info", str(forged(name))], catch_exceptions=False)
    assert done.exit_code == 0 and ESCAPED in done.stdout
    assert done.stdout.replace("\n", "").isprintable()


def test_a_message_shows_it(forged, save_smooth, capsys, tmp_path, same_message):
    with pytest.raises(SystemExit):
        main(["render", f"{tmp_path}/\x1b[2J.nsh", "-o", f"{tmp_path}/a.png"])
    told = capsys.readouterr().err
    same_message(told, f"neuralshade: {tmp_path}/\\x1b[2J.nsh", "Check")


def test_a_table_shows_it(capsys):
    Table([{"name": CLEARS}], [Column("name", "name")], lines=(CLEARS,)).print()
    assert capsys.readouterr().out.split() == ["name", ESCAPED, ESCAPED]


def test_a_page_shows_it(monkeypatch, tmp_path):
    monkeypatch.setattr("neuralshade.measure.page.TEMPLATES", tmp_path)
    (tmp_path / "t.jinja").write_text("<p>{{ name }}</p>{{ svg | safe }}{{ 5 }}")
    write_page(tmp_path / "x.html", "t.jinja", {"name": f"a\n<b>{CLEARS}", "svg": "<svg/>"})
    page = (tmp_path / "x.html").read_text()
    assert page == f"<p>a\n&lt;b&gt;{ESCAPED}</p><svg/>5"
