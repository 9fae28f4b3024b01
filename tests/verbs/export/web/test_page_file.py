"""verbs/export/web: a page is one small file that loads nothing and runs nothing else."""

import base64
import hashlib
import re
import shutil
import zlib

import numpy as np
import pytest
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.verbs.export.web.bundle import bundled
from neuralshade.verbs.export.web.seam import filled

CODE_BYTES = 40_000  # of a page, beside 1.4 times the asset
SHOWN = ["image", "splats", "material"]


def page_of(asset, folder, **how):
    made = neuralshade.export(asset, "web", folder / "page", **how)
    (path,) = made.files
    with open(path, encoding="utf-8") as file:
        return file.read()


def script_of(page):
    """Return the script that a page unpacks and runs."""
    packed = re.search(r'<script id="script" type="text/plain">([^<]*)</script>', page)[1]
    return zlib.decompress(base64.b64decode(packed), -15)


@pytest.mark.parametrize("kind", SHOWN)
def test_a_page_costs_little_more_than_its_asset(kind, tmp_path):
    asset = DATA / ASSETS[kind]
    page = page_of(asset, tmp_path)
    assert len(page.encode()) <= 1.4 * asset.stat().st_size + CODE_BYTES


@pytest.mark.parametrize("kind", SHOWN)
def test_it_names_nothing_to_load(kind, tmp_path):
    page = page_of(DATA / ASSETS[kind], tmp_path)
    script = script_of(page).decode()
    assert not re.search(r"https?://|\bimport\b|\bfetch\(|XMLHttpRequest|\beval\(|new Function",
                         page + script)  # fmt: skip
    assert not re.search(r"<(?:link|img|iframe)[^>]+(?:href|src)=\"(?!data:)", page)


def test_its_policy_names_the_scripts_that_it_has_and_no_others(tmp_path):
    page = page_of(DATA / ASSETS["image"], tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")
    boot = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    found = re.findall(r"'sha256-([^']+)'", policy.partition("script-src")[2])
    hashes = [hashlib.sha256(text).digest() for text in (boot.encode(), script_of(page))]
    assert [base64.b64decode(one) for one in found] == hashes
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "name",
    [
        "</script><script>alert(1)//",
        "<img src=x onerror=alert(1)>",
        "<!--data-->",
        "a & b \"c\" 'd'",
        "\u30b9\u30ad\u30fc",
    ],
)
def test_names_are_text(name, tmp_path):
    asset = tmp_path / f"{name.replace('/', '_')}.nsh"
    shutil.copy(DATA / ASSETS["image"], asset)
    page = page_of(asset, tmp_path, name="a")
    assert page.count("<script") == 4  # data, style, script, boot
    assert "<img" not in page
    assert page.count("<!--") == 0


def test_several_assets_with_one_name_stay_apart(tmp_path):
    (tmp_path / "other").mkdir()
    first, second = tmp_path / "photo.nsh", tmp_path / "other" / "photo.nsh"
    shutil.copy(DATA / ASSETS["image"], first)
    shutil.copy(DATA / ASSETS["splats"], second)
    script = script_of(page_of([first, second], tmp_path)).decode()
    assert "photo_2" in script
    assert "MaterialView" not in script  # what no asset needs is left out


@pytest.mark.parametrize("broken", ["no place", "<!--a--><!--a-->", "<!--a--><!--b-->"])
def test_a_template_without_one_place_for_each_content_is_refused(broken):
    with pytest.raises(ValueError, match="Mend the template"):
        filled(broken, {"a": "text"})


def test_content_is_inserted_once_and_as_it_is():
    assert filled("<<!--a-->,<!--b-->>", {"a": "<!--b-->", "b": r"\1$&"}) == r"<<!--b-->,\1$&>"


@pytest.mark.parametrize("text", ['import x from "./data.js";\n', "export default 1;\n",
                                  'import { nothing } from "./data.js";\n'])  # fmt: skip
def test_modules_that_cannot_be_joined_are_refused(text):
    with pytest.raises(ValueError, match="Mend the page's modules"):
        bundled("main.js", {"views.js": text})


def test_a_page_is_for_one_target_and_one_source_an_asset(tmp_path, same_message):
    image, photo = DATA / ASSETS["image"], DATA / "photo.png"
    refusals = [
        ("to", "alone", image, "web,wgsl", {}),
        ("to", "one asset", [image, image], "wgsl", {}),
        ("to", "--to web", image, "wgsl", {"beside": photo}),
        ("beside", "at most one", image, "web", {"beside": [photo, photo]}),
        ("check", "a language", image, "web", {"check": True}),
        ("half", "a language", image, "web", {"half": True}),
        ("asset", "one or more", [], "web", {}),
    ]
    for place, need, asset, to, more in refusals:
        with pytest.raises(ConfigError) as caught:
            neuralshade.export(asset, to, tmp_path, **more)
        same_message(str(caught.value), place, need)
    assert not any(tmp_path.iterdir())


def test_a_task_has_no_page(tmp_path):
    with pytest.raises(AssetError, match="WebGL 2 cannot run"):
        neuralshade.export(DATA / ASSETS["shader"], "web", tmp_path, trust=True)


def test_another_picture_beside_is_refused_and_nothing_is_written(tmp_path):
    from neuralshade.source.picture import picture_from_array

    grey = picture_from_array(np.zeros((4, 4, 1), np.uint8))
    with pytest.raises(AssetError):
        neuralshade.export(DATA / ASSETS["image"], "web", tmp_path / "x", beside=grey)
    assert not (tmp_path / "x").exists()
