"""mkdocs.yml: each page is in the site's menu; what scripts/site.py keeps of links and drops."""

import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
MENU = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]


def test_menu_has_each_page_once():
    listed = re.findall(r"[\w-]+\.md", MENU)
    pages = [path.name for path in (ROOT / "docs").glob("*.md")]
    assert sorted(listed) == sorted(["index.md", *pages])


def test_readme_is_short_and_shows_a_picture_first():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 90
    picture = re.search(r"!\[[^\]]+\]\((\S+)\)", text.partition("\n## ")[0])[1]
    assert (ROOT / picture).stat().st_size < 200_000


@pytest.mark.parametrize("uri, link, seen", [
    ("textures.md", "[a](mipmaps.md#b)", "[a](mipmaps.md#b)"),
    ("textures.md", "[a](../benchmarks/results/x.md)", "[a](results/x.md)"),
    ("textures.md", "[a](../benchmarks/results/x.json)", "a"),
    ("index.md", "[a](https://example.org/)", "[a](https://example.org/)"),
    ("index.md", "[a](examples/x.py)", "a"),
    ("textures.md", "[a](../src/neuralshade/errors.py)", "a"),
    ("results/x.md", "[a](../../docs/textures.md)", "[a](../textures.md)"),
])  # fmt: skip
def test_links_out_of_the_site_become_text(uri, link, seen):
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts/site.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    assert hooks.inside(hooks.LINK.match(link), uri) == seen
