"""verbs/export/web: what an export for other sites writes."""

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from fixtures.small_kinds import ASSETS, DATA
from fixtures.web_sites import KINDS, data_of, header_of
from PIL import Image

import neuralshade
from neuralshade.cli.export import export
from neuralshade.errors import ConfigError, OutputError


def test_each_asset_has_data_and_a_poster(embed_site):
    stems = [ASSETS[kind].removesuffix(".nsh") for kind in KINDS]
    files = {"neural-shade.js", "index.html", "README.md",
             *(f"{stem}{suffix}" for stem in stems for suffix in (".nsb", ".webp"))}  # fmt: skip
    assert {path.name for path in embed_site.iterdir()} - {"test.html"} == files
    assert len((embed_site / "index.html").read_text().splitlines()) < 25
    for stem in stems:
        assert f'src="{stem}.nsb"' in (embed_site / "index.html").read_text()
        with Image.open(embed_site / f"{stem}.webp") as poster:
            assert max(poster.size) == 512


def test_the_script_loads_data_alone_and_data_brings_no_script(embed_site):
    text = (embed_site / "neural-shade.js").read_text()
    assert not re.search(r"https?://|\bimport\b|XMLHttpRequest|\beval\(|Function\(|innerHTML", text)
    assert text.count("fetch(") == 1
    for kind in KINDS:
        header = header_of(embed_site / data_of(kind))
        assert not re.search(r"=>|function|data:|//", header)
        assert json.loads(header)["assets"][0]["words"]["rebuild"] in text


def test_scripts_of_other_kinds_come_too(embed_site, tmp_path):
    """Gaussians may be added to a site whose script came with a picture."""
    neuralshade.export(DATA / ASSETS["image"], "web", tmp_path, embed=True)
    assert (tmp_path / "neural-shade.js").read_bytes() == (
        embed_site / "neural-shade.js"
    ).read_bytes()


def test_refusals(tmp_path, same_message):
    image = DATA / ASSETS["image"]
    refusals = [
        ("embed", "need web", "wgsl", tmp_path, {}),
        ("output", "a folder", None, tmp_path / "x.html", {}),
        ("check", "a language", "web", tmp_path, {"check": True}),
        ("beside", "at most one", "web", tmp_path, {"beside": [DATA / "photo.png"] * 2}),
    ]
    for place, need, to, output, more in refusals:
        with pytest.raises(ConfigError) as caught:
            neuralshade.export(image, to, output, embed=True, **more)
        same_message(str(caught.value), place, need)
    assert not any(tmp_path.iterdir())


def test_a_page_of_the_site_is_not_overwritten(tmp_path, same_message):
    own = tmp_path / "index.html"
    own.write_text("<h1>my site</h1>")
    with pytest.raises(OutputError) as caught:
        neuralshade.export(DATA / ASSETS["image"], "web", tmp_path, embed=True)
    same_message(str(caught.value), str(own), "Name another")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
    own.unlink()
    for _ in range(2):  # its own example is
        neuralshade.export(DATA / ASSETS["image"], "web", tmp_path, embed=True)


def test_assets_with_one_name_stay_apart(tmp_path):
    (tmp_path / "other").mkdir()
    first, second = tmp_path / "a & b.nsh", tmp_path / "other" / "a & b.nsh"
    shutil.copy(DATA / ASSETS["image"], first)
    shutil.copy(DATA / ASSETS["splats"], second)
    made = CliRunner().invoke(export, [str(first), str(second), "--to", "web", "--embed",
                                       "-o", str(tmp_path / "site"), "--json"])  # fmt: skip
    files = {Path(file).name for file in json.loads(made.stdout)["files"]}
    assert files == {"neural-shade.js", "index.html", "README.md", "a_b.nsb", "a_b.webp",
                     "a_b_2.nsb", "a_b_2.webp"}  # fmt: skip
    page = (tmp_path / "site/index.html").read_text()
    assert page.count('aria-label="a &amp; b"') == 2
