"""benchmarks: every script says with --help what it does, and does not begin it."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_help_is_printed_and_nothing_is_run(path, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(path), run_name="__main__")
    assert caught.value.code in (0, None)
    assert capsys.readouterr().out.startswith(f"usage: {path.name}")
    assert not list(tmp_path.iterdir())


def test_a_word_that_it_does_not_know_is_refused(monkeypatch):
    """As --name of others, which would be passed over."""
    monkeypatch.setattr(sys, "argv", ["kodak_blocks.py", "--name", "x"])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(FOLDER / "kodak_blocks.py"), run_name="__main__")
    assert caught.value.code == 2
