"""mkdocs.yml: each page is in the site's menu; what scripts/site.py keeps of links and drops."""

import importlib.util
import pathlib
import re

import pytest

from neuralshade.kinds import all_kinds

ROOT = pathlib.Path(__file__).parents[2]
MENU = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]


def test_menu_has_each_page_once():
    listed = re.findall(r"[\w/-]+\.md", MENU)
    pages = [p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")]
    assert sorted(listed) == sorted(["index.md", *pages])


def test_readme_is_short_and_shows_a_picture_first():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 90
    picture = re.search(r"!\[[^\]]+\]\((\S+)\)", text.partition("\n## ")[0])[1]
    assert (ROOT / picture).stat().st_size < 200_000


def test_readme_names_the_systems_that_are_untested():
    part = (ROOT / "README.md").read_text().partition("## Two commands")[2].partition("```sh")[0]
    assert {"Linux", "Windows", "macOS"} <= set(re.findall(r"\w+", part))
    assert "untested" in part and "docs/install.md" in part


@pytest.mark.parametrize("page", [
    "features", "gallery", "live", "material", "mipmaps", "recipes", "scene", "shader", "splats",
    "textures",
])  # fmt: skip
def test_a_page_about_pictures_shows_some(page):
    text = (ROOT / f"docs/{page}.md").read_text()
    pictures = re.findall(r"!\[[^\]]+\]\((\S+)\)", text)
    assert pictures and all((ROOT / "docs" / picture).is_file() for picture in pictures)


def test_gallery_has_each_kind():
    text = (ROOT / "docs/gallery.md").read_text()
    made = [kind.made_by for kind in all_kinds() if kind.fits is not None]
    shown = re.findall(r"^(?:\| |\*)`(fit \w+)", text, re.M)  # rows, and captions of pictures
    assert sorted(set(shown)) == sorted(made)
    source = (ROOT / "examples/gallery.py").read_text()
    assert text.endswith(source.partition('REST = """')[2].partition('"""')[0])


@pytest.mark.parametrize("uri, link, seen", [
    ("textures.md", "[a](mipmaps.md#b)", "[a](mipmaps.md#b)"),
    ("textures.md", "[a](../benchmarks/results/x.md)", "[a](results/x.md)"),
    ("textures.md", "[a](../benchmarks/results/x.json)", "[a](results/x.md)"),
    ("notes/images.md", "[a](../../benchmarks/results/x.json)", "[a](../results/x.md)"),
    ("results/index.md", "[a](x.json)", "[a](x.md)"),
    ("index.md", "[a](https://example.org/)", "[a](https://example.org/)"),
    ("index.md", "[a](examples/x.py)", "a"),
    ("textures.md", "[a](../src/neuralshade/errors.py)", "a"),
    ("results/x.md", "[a](../../docs/textures.md)", "[a](../textures.md)"),
    ("index.md", "[docs/live.md](live.md)", "[The live page](live.md)"),
    ("textures.md", "[live.md](live.md#b)", "[The live page](live.md#b)"),
    ("results/x.md", "[docs/live.md](../../docs/live.md)", "[The live page](../live.md)"),
    ("textures.md", "[x.md](../benchmarks/results/x.md)", "[x.md](results/x.md)"),
])  # fmt: skip
def test_links_are_of_the_site_or_text_and_say_titles(uri, link, seen):
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "scripts/site.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    assert hooks.inside(hooks.LINK.match(link), uri) == seen
