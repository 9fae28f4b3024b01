"""docs/, README.md, CONTRIBUTING.md: every file and module of ours that they name is there.

A path is one of ours where its first folder is: photo.png or out/ are for users to make. What
lies in a fence is text of another kind, of which the modules alone are looked at; in fences of
diffs, nothing is.
"""

import importlib
import pathlib
import re

import pytest

from neuralshade.base.plugins import GROUPS

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "src/neuralshade"
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
MODULE = re.compile(r"(?<![\w/.])neuralshade(?:\.\w+)+")


def folders(place):
    """Return the folders that git has in ``place``."""
    return [p.name for p in place.iterdir() if p.is_dir() and not p.name.startswith("__")]


BASES = dict.fromkeys(folders(PACKAGE), PACKAGE)
BASES |= {"neuralshade": PACKAGE.parent}
BASES |= dict.fromkeys(("benchmarks", "docs", "examples", "scripts", "src", "tests"), ROOT)


def named_files(page, text):
    """Yield the paths of ours that a page names in links and between backticks, outside fences."""
    prose = FENCE.sub("", text)
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
        if "://" not in target:
            yield page.parent / target
    for quoted in re.findall(r"`([^`\n]+)`", prose):
        for word in quoted.split():
            first, slash, _ = word.strip(".,:").partition("/")
            if slash and first in BASES:
                yield BASES[first] / word.strip(".,:")


def found(path):
    """Return whether there is such a file or folder, or one of that pattern."""
    return any(path.parent.glob(path.name)) if "*" in path.name else path.exists()


def named_modules(text):
    """Return the dotted names below the package that a page says, in code too."""
    return set(MODULE.findall(FENCE.sub(lambda m: "" if m[1] == "diff" else m[0], text)))


def is_there(dotted):
    """Return whether it is a module, a kernel, a folder, what a module holds, or a group."""
    place = PACKAGE.joinpath(*dotted.split(".")[1:])
    if (
        dotted in GROUPS.values()
        or place.is_dir()
        or any(place.with_suffix(end).is_file() for end in (".py", ".slang"))
    ):
        return True
    module, _, name = dotted.rpartition(".")
    return importlib.util.find_spec(module) is not None and hasattr(
        importlib.import_module(module), name
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page):
    text = page.read_text()
    missing = [str(path) for path in named_files(page, text) if not found(path)]
    assert missing == []
    assert [name for name in sorted(named_modules(text)) if not is_there(name)] == []


def test_pages_that_sources_name_are_there():
    for folder in ("src", "tests", "examples", "benchmarks", "scripts"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".py", ".slang"):
                for page in re.findall(r"\bdocs/[\w-]+\.md", path.read_text()):
                    assert (ROOT / page).is_file(), f"{path} names {page}"


def test_what_is_not_there_is_found():
    text = "`kinds/absent.py` and [x](absent.md), `out/photo.nsh` not; `neuralshade.kinds.absent`"
    missing = [path for path in named_files(ROOT / "docs" / "x.md", text) if not found(path)]
    assert {path.name for path in missing} == {"absent.py", "absent.md"}
    assert not any(map(is_there, named_modules(text)))
