"""docs, README.md: every block of Python runs when it is pasted alone, where its files are."""

import ast
import builtins
import functools
import pathlib
import re
import shutil

import numpy as np
import pytest
from fixtures.small_kinds import DATA, SMALL
from PIL import Image

import neuralshade

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# What a block's own settings become: a fit that shows that the call is right, no more.
SHORT = {**SMALL, "image": {"steps": 4}, "splats": {"steps": 4, "count": 20}}
SMALLER = {"4096, 4096": "40, 30", "1920, 1080": "40, 30", "512, 512": "24, 24"}
ENDS = ("seconds", "bpp", "target", "threads")
QUICK = ("README.md", "textures.md", "textures-decode.md")  # what others have takes seconds each
# Blocks that are run elsewhere, or that nothing can be run with here, by a line of each.
ELSEWHERE = {
    "fit_mipmaps(": "tests/kinds/mipmaps: seconds to compile, more to judge",
    "fit_mipmaps_family(": "tests/kinds/mipmaps/family, which trains two sets",
    "plan_textures(": "tests/kinds/textures/test_planned.py: many fits",
    '"cpp"': "tests/docs/test_extending.py, which makes it a target first",
    "TextureSetField(": "tests/docs/test_textures.py",
    "fit_material(": "tests/kinds/material/test_fit.py; the document takes MaterialX",
    "render_scene(": "tests/scene: minutes of paths, and a material that was fitted",
    "import mitsuba": "tests/verbs/export/engines/mitsuba",
    'device="cuda"': "a GPU of NVIDIA's",
    "websockets": "a page that is open, and no end",
    "live.wait()": "a person who looks, and no end",
}


def blocks():
    """Yield page, line and text of each block of Python."""
    for page in PAGES:
        text = page.read_text()
        for found in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
            line = text.count("\n", 0, found.start()) + 1
            yield pytest.param(page.name, found[1], id=f"{page.name}:{line}")


def unknown(text):
    """Return the names that a block reads and nothing in it makes."""
    names = {node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    made = {node.id for node in names if not isinstance(node.ctx, ast.Load)} | set(dir(builtins))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            made.add(node.name)
    return {node.id for node in names} - made


def test_names_that_nothing_makes_are_found():
    assert unknown("import os\nfor a in b:\n    print(a, os.path, c.d)\n") == {"b", "c"}


@pytest.mark.parametrize("page, text", list(blocks()))
def test_every_name_is_made_in_the_block(page, text):
    assert unknown(text) == set()


def test_each_excuse_is_of_a_block():
    text = "".join(block.values[1] for block in blocks())
    assert [words for words in ELSEWHERE if words not in text] == []


@pytest.fixture
def folder(tmp_path, monkeypatch, one_device):
    """Be in a folder that has what blocks open, where fits are short."""
    monkeypatch.chdir(tmp_path)
    pixels = np.random.default_rng(0).integers(0, 256, (16, 24, 3), dtype=np.uint8)
    Image.fromarray(pixels).save("photo.png")
    for name, asset in (("photo", "image_grid"), ("waves", "image_grid"), ("marble", "image_grid"),
                        ("bricks", "textures")):  # fmt: skip
        shutil.copy(DATA / f"{asset}.nsh", f"{name}.nsh")
    pathlib.Path("bricks_maps").mkdir()
    for role in ("albedo", "normal", "roughness"):
        values = pixels if role == "albedo" else np.full_like(pixels, (128, 128, 255))
        values = values[..., 2] if role == "roughness" else values
        Image.fromarray(values).save(f"bricks_maps/{role}.png")
    task = re.search(r"^```slang\n(.*?)^```", (ROOT / "docs/shader.md").read_text(), re.M | re.S)
    pathlib.Path("task.slang").write_text(task[1])
    for kind in ("image", "splats", "textures", "shader"):
        fit = getattr(neuralshade, f"fit_{kind}")
        monkeypatch.setattr(neuralshade, f"fit_{kind}", functools.partial(shortened, fit, kind))


def shortened(fit, kind, *given, **settings):
    """Call ``fit`` as a block does, but for a few small steps."""
    kept = {name: value for name, value in settings.items() if name not in ENDS}
    return fit(*given, **kept | SHORT[kind])


def runnable():
    """Yield the blocks that can be run here."""
    for block in blocks():
        if not any(words in block.values[1] for words in ELSEWHERE):
            page = block.values[0]
            slow = [] if page in QUICK else [pytest.mark.slow]
            yield pytest.param(*block.values, id=block.id, marks=slow)


@pytest.mark.parametrize("page, text", list(runnable()))
def test_a_block_runs_alone(page, text, folder, capsys):
    if page == "splats.md":
        shutil.copy(DATA / "splats_normalized.nsh", "photo.nsh")
    for asked, small in SMALLER.items():
        text = text.replace(asked, small)
    exec(compile(text, page, "exec"), {})
