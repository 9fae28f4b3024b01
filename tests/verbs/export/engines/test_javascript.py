"""engines/javascript: modules hold the words and print the text that the printers write."""

import base64
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds import open_asset
from neuralshade.languages.printers import printer_of
from neuralshade.languages.software_textures import in_words

KINDS = ("image", "splats", "textures", "mipmaps", "material")
SHARE, BYTES_OF_LANGUAGE = 1.4, 40_000  # largest modules: of the asset's bytes, and bytes more
PROGRAM = """
import(process.argv[1]).then((one) => process.stdout.write(JSON.stringify({
    wgsl: one.wgsl, glsl: one.glsl, asset: one.asset,
    words: Buffer.from(one.words.buffer).toString("base64") })));
"""
NUMBER = re.compile(r"(?<![\w.])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.])")


@pytest.fixture
def module(tmp_path):
    """Return a function that runs the data module of an asset: its exports, words as an array."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs Node.js")

    def module(path, **options):
        neuralshade.export(path, "threejs", tmp_path, name="photo", **options)
        done = subprocess.run([node, "-e", PROGRAM, (tmp_path / "photo.data.js").as_uri()],
                              capture_output=True, timeout=600)  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        found = json.loads(done.stdout)
        found["words"] = np.frombuffer(base64.b64decode(found["words"]), "<u4")
        return found

    return module


def lines_of(text):
    """Return lines without comments and their numbers: text with # in place, and float32."""
    kept = [line.strip() for line in text.splitlines() if not line.strip().startswith("//")]
    text = "\n".join(line for line in kept if line)
    return NUMBER.sub("#", text).splitlines(), np.array(NUMBER.findall(text), np.float32)


@pytest.mark.parametrize("numbers", ["text", "buffer"])
@pytest.mark.parametrize("kind", KINDS)
def test_it_prints_what_printers_print(module, kind, numbers):
    found = module(DATA / ASSETS[kind], numbers=numbers)
    with open_asset(DATA / ASSETS[kind]) as opened:
        form = in_words(opened.shader("photo"))
    for language, key in (("wgsl", "wgsl"), ("glsl-es", "glsl")):
        printer = printer_of(form, language, numbers == "text")
        names = [function.name for function in form.functions]
        start = min(printer.text().index(f"{name}(") for name in names)
        expected, values = lines_of(printer.text()[printer.text().rindex("\n", 0, start) :])
        printed, printed_values = lines_of(found[key])
        own = printed.index(expected[0])
        assert printed[own : own + len(expected)] == expected
        before = sum(line.count("#") for line in printed[:own])
        np.testing.assert_array_equal(printed_values[before : before + len(values)], values)
        count = len(printer.words)
        np.testing.assert_array_equal(found["words"][:count], printer.words)


@pytest.mark.parametrize("kind", KINDS)
def test_modules_are_small(tmp_path, kind):
    asset = DATA / ASSETS[kind]
    neuralshade.export(asset, "threejs", tmp_path)
    size = sum(path.stat().st_size for path in tmp_path.glob("*.js"))
    assert size <= SHARE * asset.stat().st_size + 2 * BYTES_OF_LANGUAGE


def test_what_it_cannot_hold_is_refused(tmp_path, same_message):
    for asset, options, remedy in (
        ("image", {"half": True}, "Leave half out"),
        ("shader", {"trust": True}, "Export it to wgsl"),
    ):
        with pytest.raises(ConfigError) as caught:
            neuralshade.export(DATA / ASSETS[asset], "threejs", tmp_path, **options)
        same_message(str(caught.value), "to", remedy)


def test_odd_names_stay_inside_comments(tmp_path):
    asset = tmp_path / "a`${1}*%0a&.nsh"
    shutil.copy(DATA / ASSETS["image"], asset)
    neuralshade.export(asset, "threejs", tmp_path / "out")
    text = (tmp_path / "out/a_1_0a.data.js").read_text()
    outside = [line for line in text.splitlines() if not line.startswith("//")]
    assert "${1}" in text and not any("${1}" in line for line in outside)
