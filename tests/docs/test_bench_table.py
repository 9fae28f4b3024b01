"""docs/benchmarks.md: it says what the files of results say, and each file is named by a page."""

import importlib.util
import json
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks/results"
REMEDY = "Run make bench-table."


@pytest.fixture(scope="module")
def made():
    spec = importlib.util.spec_from_file_location("bench_table", ROOT / "scripts/bench_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept():
    """Return the files of results that git has: a benchmark that is run adds others."""
    names = [path.name for path in RESULTS.glob("*")]
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return names
    listed = subprocess.run(["git", "ls-files"], cwd=RESULTS, capture_output=True, text=True)
    return listed.stdout.split() or names


def test_the_page_is_what_the_results_say(made):
    assert made.page() == (ROOT / "docs/benchmarks.md").read_text(), REMEDY


def test_the_index_has_every_file(made):
    index = (RESULTS / "index.md").read_text()
    missing = [n for n in kept() if n.endswith(".json") and f"({n})" not in index]
    assert missing == [], REMEDY


def test_each_file_is_named_by_a_page():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text() for page in pages)
    unnamed = [n for n in kept() if n.endswith(".json") and f"results/{n}" not in text]
    assert unnamed == []
    assert len(kept()) <= 45  # one a claim and device


def test_each_file_becomes_a_page_of_the_site():
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts/site.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    for path in RESULTS.glob("*.json"):
        text = hooks.tables(path.stem, json.loads(path.read_text()))
        assert text.startswith(f"# {path.stem}\n") and "\n|---|" in text, path


def test_a_query_finds_rows_ranges_and_parts(made, tmp_path, monkeypatch):
    monkeypatch.setattr(made, "RESULTS", tmp_path)
    rows = [{"set": "a", "dB": 1.25, "said": "at 7.5 dB"}, {"set": "b", "dB": "3 -2", "said": ""}]
    data = {"runs": {"one": {"machine": {}, "Some, table": rows}}}
    (tmp_path / "x.json").write_text(json.dumps(data))
    place = "x:one/Some, table"
    assert made.filled(f"<<{place}?set=a#dB|.1f>> dB") == "1.3 dB"  # halves go up
    assert made.filled(f"<<{place}?#dB|.1f>>") == "-2.0 to 3.0"
    assert made.filled(f"<<{place}?set=a#said~at ([0-9.]+)|.2f/10>>") == "0.75"
    assert made.filled(f"<<{place}?set=a#set>>, <<{place}?#count>>") == "a, 2"
    with pytest.raises(ValueError, match="no such row"):
        made.answer(f"{place}?set=c#dB|.1f")


def test_numbers_of_readme_are_in_the_table():
    table = (ROOT / "README.md").read_text().partition("## Six numbers")[2].partition("\n## ")[0]
    page = (ROOT / "docs/benchmarks.md").read_text()
    told = re.findall(r"\*\*(.+?)\*\*", table)
    assert len(told) == 6
    assert [words for words in told if words not in page] == []
