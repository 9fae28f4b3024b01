"""README.md, docs/: sentences are short, and pages too."""

import pathlib
import re
import statistics

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
MEDIAN_WORDS, MOST_WORDS = 18, 40
MOST_LINES = {
    "README.md": 90,
    "CHANGELOG.md": 80,
    "benchmarks.md": 120,
    "flags.md": 320,  # a table that scripts/flags.py writes
}
USUAL_LINES = 150
BLOCK_START = re.compile(r"\s*(?:[-*+] |\d+\. |#|>|\|)")
SENTENCE_END = re.compile(r"(?<=[.!?])[)*\"]*\s+(?=[A-Z0-9`*(\"\[])")


def sentences(text):
    """Yield the sentences of a page's prose: no code, tables or headings; list items count."""
    text = re.sub(r"^(`{3,})\w*\n.*?^\1$", "\n", text, flags=re.M | re.S)
    blocks, current = [], []
    for line in [*text.splitlines(), ""]:
        if not line.strip() or BLOCK_START.match(line) or line.startswith("    "):
            blocks.append(" ".join(current))
            current = []
        if line.strip() and not re.match(r"\s*[|#]|    ", line):
            current.append(re.sub(r"^\s*(?:[-*+] |\d+\. |> ?)", "", line).strip())
    blocks.append(" ".join(current))
    for block in blocks:
        plain = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", block)
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"`[^`]*`", "`code`", plain)
        yield from (part for part in SENTENCE_END.split(plain) if re.search(r"\w", part))


def words(sentence):
    """Return how many words a sentence has; code between backticks is one."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_sentences_are_found():
    text = "# A\n\nOne two. `x y` is\nfour: 4.5 [and a](b.md).\n\n- item\n- more\n\n| a | table |\n"
    assert list(sentences(text)) == ["One two.", "`code` is four: 4.5 and a.", "item", "more"]
    assert words("`code` is four: 4.5 and a.") == 6


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_is_long(page):
    long = [s for s in sentences(page.read_text()) if words(s) > MOST_WORDS]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_is_long(page):
    lines = len(page.read_text().splitlines())
    assert lines <= MOST_LINES.get(page.name, USUAL_LINES)


def test_half_of_all_sentences_are_short():
    counts = [words(s) for page in PAGES for s in sentences(page.read_text())]
    assert statistics.median(counts) <= MEDIAN_WORDS
