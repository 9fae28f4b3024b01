"""live/map_sets: maps come one by one into one folder, pictures alone, and no more than a few."""

import json
from pathlib import Path

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds import all_kinds
from neuralshade.live import map_sets as module
from neuralshade.live.upload_checks import MOST_SETS, RefusedError
from neuralshade.source.file_kind import PICTURE_SUFFIXES

KINDS = {kind.name: kind for kind in all_kinds()}


@pytest.fixture
def send(ask, png_file):
    """Give a function that sends a map and returns what is answered."""

    def send(name, key=None, width=5, height=3):
        of = "" if key is None else f"&of={key}"
        answer = ask(f"/maps?name={name}{of}", png_file(width, height))
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    return send


@pytest.fixture
def add(uploads):
    """Give a function that adds an upload to a set, at a size that is claimed."""

    def add(name, key=None, width=4, height=4, content=b"x"):
        path = uploads.path(name)
        path.write_bytes(content)
        return uploads.maps.add(key, path, width, height)["maps"]

    return add


def files(uploads):
    return sorted(p for p in Path(uploads._folder.path).rglob("*") if p.is_file())


def test_maps_come_into_one_folder(send, uploads, png_file):
    first = send("bricks_albedo.png")
    said = send("bricks_roughness.png", first["maps"])
    assert said == {
        "maps": first["maps"], "name": "bricks", "refused": {},
        "files": [{"name": "bricks_albedo.png", "width": 5, "height": 3, "taken": ["albedo"]},
                  {"name": "bricks_roughness.png", "width": 5, "height": 3,
                   "taken": ["roughness"]}],
    }  # fmt: skip
    folder = uploads.maps.fit(first["maps"], KINDS["mipmaps"])
    assert folder.name == "bricks" and folder.parent.parent.samefile(uploads._folder.path)
    assert sorted(p.name for p in folder.iterdir()) == ["bricks_albedo.png", "bricks_roughness.png"]
    assert len(files(uploads)) == 2 and len(list(Path(uploads._folder.path).iterdir())) == 1


def test_what_a_kind_lacks_is_told(send):
    said = send("wood_albedo.png")
    line = said["refused"]["mipmaps"]
    assert line.startswith("wood: got no roughness among wood_albedo.png, need albedo, roughness;")
    assert set(said["refused"]) == {"mipmaps", "material"}
    said = send("photo.png")
    assert said["name"] == "maps" and said["files"][0]["taken"] == []
    assert said["refused"]["textures"].startswith(
        "maps: got 1 picture whose name says no map: photo.png; need maps of one surface"
    )


def test_maps_of_other_shapes_are_told_before_a_fit(send):
    key = send("albedo.png")["maps"]
    said = send("roughness.png", key, width=9)
    assert said["refused"]["textures"] == (
        "maps: got albedo of 5 x 3 beside roughness of 9 x 3, need one aspect ratio. Scale or crop "
        "one of them."
    )


def test_an_optional_map_of_another_shape_is_no_refusal(send):
    key = send("wood_albedo.png")["maps"]
    send("wood_roughness.png", key)
    assert send("wood_ao.png", key, width=9)["refused"] == {}
    assert send("wood_occlusion.png", key)["refused"] == {}


@pytest.mark.parametrize("name, plain", [
    ("maps.json", "maps.json"), ("x.nsh", "x.nsh"), ("albedo", "albedo"), (".png", "png"),
    ("..", "upload"), ("%2e%2e%2fx.slang", "x.slang"), ("a.png%00.json", "a.png_.json"),
    ("a.png/", None), ("a.mtlx", "a.mtlx"), ("a.png%0a.toml", "a.png_.toml"), ("", "upload"),
])  # fmt: skip
def test_only_pictures_get_in(ask, uploads, png_file, name, plain):
    if plain is None:  # a folder's slash is no part of a name
        assert ask(f"/maps?name={name}", png_file()).status == 200
        return
    status, line = ask.refused(f"/maps?name={name}", png_file())
    assert status == 415 and files(uploads) == []
    assert line == (
        f"{plain}: got a file that is no picture by its name, need one of "
        f"{', '.join(PICTURE_SUFFIXES)}. Leave it out."
    )


@pytest.mark.parametrize("name", ["../../x_albedo.png", "/etc/albedo.png", "..\\albedo.png",
                                  "a/../../albedo.png", "...albedo.png", "C:albedo.png",
                                  "../_albedo.png", ".._albedo.png", "%2f_albedo.png",
                                  "\u202ealbedo.png", "x" * 300 + "_albedo.png"])  # fmt: skip
def test_no_name_leads_out_of_the_folder(add, uploads, name):
    key = add(name)
    folder = uploads.maps.fit(key, KINDS["textures"])
    (file,) = files(uploads)
    root = Path(uploads._folder.path).resolve()
    assert file.parent.resolve() == folder.resolve() and folder.resolve().parent.parent == root


def test_what_is_no_picture_is_refused_and_forgotten(ask, uploads):
    for content in (b"", b"\x89PNG\r\n\x1a\n", b'{"albedo": "/etc/passwd"}', b"x" * 5000):
        status, line = ask.refused("/maps?name=../../albedo.png", content)
        assert status == 422 and line.startswith("albedo.png: ")
    assert files(uploads) == [] and list(Path(uploads._folder.path).iterdir()) == []


def test_a_map_that_claims_too_much_is_not_decoded(ask, boast):
    status, line = ask.refused("/maps?name=albedo.png", boast(60_000, 60_000))
    assert status == 422 and line.startswith("albedo.png: got ") and "neuralshade-" not in line


def test_a_second_map_of_a_name_is_refused(send, ask, png_file, uploads):
    key = send("albedo.png")["maps"]
    for name in ("albedo.png", "ALBEDO.png", "x/albedo.png"):
        status, line = ask.refused(f"/maps?name={name}&of={key}", png_file())
        shown = name.split("/")[-1]
        assert (status, line) == (
            409, f"{shown}: got a second map of that name, need each once. Rename it.")  # fmt: skip
    assert len(files(uploads)) == 1


@pytest.mark.parametrize("key, shown", [("m99", "m99"), ("p1", "p1"), ("", "upload"),
                                        ("..%2f1", "1")])  # fmt: skip
def test_a_set_that_is_none(ask, png_file, key, shown):
    assert ask.refused(f"/maps?name=albedo.png&of={key}", png_file()) == (
        404, f"maps.of: got '{shown}', need a set that was begun and kept. Send its maps again."
    )  # fmt: skip


def test_only_so_many_maps_are_a_set(add, uploads):
    key = add("m0.png")
    for number in range(1, module.MOST_MAPS):
        add(f"m{number}.png", key)
    with pytest.raises(RefusedError) as caught:
        add("m16.png", key)
    assert caught.value.reason == (
        "m16.png: got more than 16 maps of a set, need fewer. Leave it out.")  # fmt: skip


def test_maps_together_have_a_limit(add, monkeypatch):
    monkeypatch.setattr(module, "MOST_SET_BYTES", 10)
    key = add("albedo.png", content=b"x" * 8)
    with pytest.raises(RefusedError) as caught:
        add("normal.png", key, content=b"xxx")
    assert (caught.value.status, caught.value.reason) == (
        413, "normal.png: got 11 bytes of maps together, need 10 at most. Fit them in a terminal."
    )  # fmt: skip


def test_small_maps_beside_a_large_one_count_as_large(add):
    """A fit scales them up: files of a few bytes would take all memory."""
    key = add("albedo.png", width=8192, height=8192)
    add("normal.png", key, width=1, height=1)
    with pytest.raises(RefusedError) as caught:
        add("ao.png", key, width=1, height=1)
    assert caught.value.reason == (
        "ao.png: got 201326592 texels of maps as large as the largest, need 134217728 at most. Fit "
        "them in a terminal."
    )


def test_only_the_newest_sets_are_kept_and_the_one_that_is_fitted(add, uploads):
    first = add("bricks_albedo.png")
    folder = uploads.maps.fit(first, KINDS["textures"])
    keys = [add("albedo.png") for _ in range(MOST_SETS + 2)]
    kept = [first, *keys[-MOST_SETS + 1 :]]
    assert list(uploads.maps._sets) == kept and len(files(uploads)) == MOST_SETS
    assert list(folder.iterdir())
    assert len(list(Path(uploads._folder.path).iterdir())) == MOST_SETS


def test_a_set_that_is_fitted_takes_no_more(add, uploads):
    key = add("albedo.png")
    uploads.maps.fit(key, KINDS["textures"])
    with pytest.raises(RefusedError) as caught:
        add("normal.png", key)
    assert caught.value.reason == (
        f"maps.of: got '{key}', which is fitted, need another set. Send its maps again."
    )


def test_what_cannot_be_fitted_is_refused(add, uploads, same_message):
    with pytest.raises(ConfigError) as caught:
        uploads.maps.fit("m9", KINDS["textures"])
    same_message(str(caught.value), "start.maps", "Send")
    with pytest.raises(ConfigError) as caught:
        uploads.maps.fit(add("photo.png"), KINDS["mipmaps"])
    assert str(caught.value).startswith("start.maps: maps: got no albedo and no roughness among ")
    with pytest.raises(ConfigError) as caught:
        module.check_takes_maps(KINDS["image"])
    same_message(str(caught.value), "start.kind", "Choose")


def test_all_is_gone_with_the_session(add, uploads):
    add("albedo.png")
    uploads.close()
    assert not Path(uploads._folder.path).exists()
