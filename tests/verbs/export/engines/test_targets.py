"""verbs/export: where files of engines and languages go, and that they appear together or not."""

from pathlib import Path, PurePosixPath

import pytest
from fixtures.small_kinds import ASSETS, DATA

import neuralshade
import neuralshade.verbs.export.export as module
from neuralshade.errors import ConfigError, OutputError
from neuralshade.kinds import open_asset
from neuralshade.verbs.export.engines.engine import ENGINES, EngineSource

SPLATS = DATA / "splats_over.nsh"
SEVERAL = ["unity", "gltf-splats", "wgsl"]
SCREEN = 80  # lines
KINDS = [kind for kind in ASSETS if kind not in ("shader", "mip_family")]


def tree(folder):
    """Return the content of all files below a folder, by path."""
    return {one.relative_to(folder).as_posix(): one.read_bytes()
            for one in sorted(folder.rglob("*")) if one.is_file()}  # fmt: skip


def interrupted_at(monkeypatch, count):
    """Let Ctrl-C come when so many files are begun."""
    whole, begun = module.whole_file, []

    def interrupting(path):
        begun.append(path)
        if len(begun) == count:
            raise KeyboardInterrupt
        return whole(path)

    monkeypatch.setattr(module, "whole_file", interrupting)
    return begun


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ENGINES)
def test_every_engine_takes_an_asset_or_says_what_it_needs(name, kind):
    with open_asset(DATA / ASSETS[kind]) as opened:
        source = EngineSource(opened.shader("rock"), opened, "rock")
        words = f"to: got {name} for {opened.path}, an asset of {opened.kind.made_by}, need "
        try:
            files, refusal = ENGINES[name].files(source), words
        except ConfigError as error:
            files, refusal = {}, str(error)
    assert refusal.startswith(words)
    if not files:
        return
    text = files["README.md"].decode("ascii")
    assert len(text.splitlines()) <= SCREEN and text.startswith("#")
    for path in map(PurePosixPath, files):
        assert not path.is_absolute() and ".." not in path.parts
    assert len(files) > 1 and all(files.values())


@pytest.mark.parametrize("name", ENGINES)
def test_some_asset_goes_into_every_engine(name):
    taken = []
    for asset in (*map(ASSETS.get, KINDS), "splats_over.nsh"):
        with open_asset(DATA / asset) as opened:
            try:
                taken.append(ENGINES[name].files(EngineSource(opened.shader("a"), opened, "a")))
            except ConfigError:
                continue
    assert taken


def test_several_targets_have_folders_of_their_own(tmp_path):
    result = neuralshade.export(SPLATS, SEVERAL, tmp_path / "out", name="dots")
    found = tree(tmp_path / "out")
    assert sorted(Path(file) for file in result.files) == sorted(
        tmp_path / "out" / name for name in found)  # fmt: skip
    assert {"README.md", "dots.wgsl", "dots.bin", "dots.json", "unity/README.md",
            "gltf-splats/dots.glb", "gltf-splats/README.md"} <= set(found)  # fmt: skip
    assert {name.partition("/")[0] for name in found if "/" in name} == {"unity", "gltf-splats"}


def test_their_order_and_commas_make_no_difference(tmp_path):
    neuralshade.export(SPLATS, SEVERAL, tmp_path / "one", name="dots")
    neuralshade.export(SPLATS, "wgsl, gltf-splats,unity", tmp_path / "other", name="dots")
    assert tree(tmp_path / "one") == tree(tmp_path / "other")


def test_an_engine_alone_needs_no_folder_below(tmp_path):
    neuralshade.export(SPLATS, "gltf-splats", tmp_path / "alone", name="dots")
    neuralshade.export(SPLATS, SEVERAL, tmp_path / "all", name="dots")
    alone = tree(tmp_path / "alone")
    assert "dots.glb" in alone
    assert alone == tree(tmp_path / "all/gltf-splats")


def test_folders_that_are_there_keep_what_others_put_in(tmp_path):
    (tmp_path / "unity").mkdir()
    (tmp_path / "unity/mine.txt").write_text("mine")
    (tmp_path / "gltf-splats").mkdir()
    (tmp_path / "gltf-splats/dots.glb").write_text("old")
    neuralshade.export(SPLATS, SEVERAL, tmp_path, name="dots")
    found = tree(tmp_path)
    assert found["unity/mine.txt"] == b"mine" and found["gltf-splats/dots.glb"] != b"old"
    neuralshade.export(SPLATS, SEVERAL, tmp_path, name="dots")
    assert tree(tmp_path) == found


def test_the_usual_folder_is_named_after_the_asset(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    neuralshade.export(SPLATS, "gltf-splats")
    assert (tmp_path / "splats_over_shader/splats_over.glb").is_file()


def test_an_engine_that_refuses_leaves_nothing_of_the_others(tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(DATA / ASSETS["image"], SEVERAL, tmp_path / "out")
    same_message(str(error.value), "to", "gltf-splats")
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_way_of_a_folder_leaves_nothing(tmp_path, same_message):
    (tmp_path / "unity").write_text("mine")
    with pytest.raises(OutputError) as error:
        neuralshade.export(SPLATS, SEVERAL, tmp_path)
    same_message(str(error.value), tmp_path / "unity/splats_over.hlsl", "Choose another")
    assert tree(tmp_path) == {"unity": b"mine"}


def test_a_folder_in_the_way_of_a_file_leaves_nothing(tmp_path):
    (tmp_path / "gltf-splats/README.md").mkdir(parents=True)
    with pytest.raises(OutputError, match="README"):
        neuralshade.export(SPLATS, SEVERAL, tmp_path)
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("count", [1, 4, 7])
def test_an_interruption_leaves_no_new_file_or_folder(tmp_path, monkeypatch, count):
    begun = interrupted_at(monkeypatch, count)
    with pytest.raises(KeyboardInterrupt):
        neuralshade.export(SPLATS, SEVERAL, tmp_path / "out")
    assert len(begun) == count and not (tmp_path / "out").exists()


@pytest.mark.parametrize("count", [1, 4, 7])
def test_an_interruption_leaves_an_older_export_as_it_was(tmp_path, monkeypatch, count):
    neuralshade.export(DATA / "splats_sum.nsh", ["unity", "wgsl"], tmp_path, name="dots")
    before = tree(tmp_path)
    interrupted_at(monkeypatch, count)
    with pytest.raises(KeyboardInterrupt):
        neuralshade.export(SPLATS, ["unity", "wgsl", "gltf-splats"], tmp_path, name="dots")
    assert tree(tmp_path) == before
    assert not (tmp_path / "gltf-splats").exists()


def test_checks_of_engines_alone_are_refused(tmp_path, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(SPLATS, ["unity", "gltf-splats"], tmp_path / "out", check=True)
    same_message(str(error.value), "check", "need a language")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("to", ["unitty", "gltf-splat", "web,unity"])
def test_unknown_targets_and_a_page_beside_others_are_refused(tmp_path, to):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(SPLATS, to, tmp_path / "out")
    text = str(error.value)
    assert ("Did you mean" in text) != to.startswith("web")
    assert text.startswith("to: ") and not (tmp_path / "out").exists()
