"""measure/page: every page says which version wrote it, when, where, and by which command."""

import re
import sys

from neuralshade import __version__
from neuralshade.measure.page import provenance, write_page


def test_a_page_names_version_time_and_command(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/neuralshade", "report", "my photo.nsh"])
    found = provenance()
    version = rf"neuralshade {re.escape(__version__)}( \([0-9a-f]{{12}}(, changed)?\))?"
    assert re.fullmatch(version, found["Written by"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", found["At"])
    assert re.search(r", \d+ cores?, \w+ \w+$", found["On"])
    assert found["Command"] == "neuralshade report 'my photo.nsh'"


def test_a_command_breaks_between_words(monkeypatch, tmp_path):
    """A browser breaks behind any hyphen: of "--live - --report" it made "- -report"."""
    monkeypatch.setattr(sys, "argv", ["/somewhere/neuralshade", "fit", "image", "-o", "a.nsh"])
    write_page(tmp_path / "a.html", "page.html.jinja", {"title": "a", "facts": [], "recipe": ""})
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    words = ["neuralshade", "fit", "image", "-o", "a.nsh"]
    assert " ".join(f"<span>{word}</span>" for word in words) in text
    assert ".provenance span { display: inline-block; max-width: 100%; }" in text


def test_a_module_that_runs_is_the_command(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/neuralshade/__main__.py", "report", "a.nsh"])
    assert provenance()["Command"] == "neuralshade report a.nsh"
