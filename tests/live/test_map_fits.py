"""live/live: fits of several maps that a page sends."""

import json

import numpy as np
import pytest

import neuralshade


@pytest.fixture
def send(as_png):
    """Give a function that sends maps of 16 x 16 texels through a page; the key of their set."""

    def send(page, *names):
        rng, key = np.random.default_rng(0), None
        for name in names:
            shape = (16, 16, 3) if "albedo" in name else (16, 16)
            content = as_png(rng.integers(0, 255, shape, np.uint8))
            of = "" if key is None else f"&of={key}"
            status, body = page.ask(f"/maps?name={name}{of}", content)
            assert status == 200, body
            key = json.loads(body)["maps"]
        return key

    return send


def ended(page, fit=1):
    """Wait for the end of a fit that was not refused."""
    page.until(lambda: page.told["refused"] or (page.fit and page.fit["id"] == fit
                                                and page.fit["state"] == "ended"))  # fmt: skip
    assert page.told["refused"] == []


@pytest.fixture
def empty(live, background, look, tmp_path, monkeypatch):
    """Give a page that shows nothing yet, whose fits write into ``tmp_path``."""
    monkeypatch.chdir(tmp_path)
    background(live.wait)
    return look()


def test_kinds_say_whether_they_take_maps(empty):
    takers = [kind["name"] for kind in empty.hello["kinds"] if kind["maps"]]
    assert takers == ["mipmaps", "textures", "material"]


def test_textures_of_maps_that_were_sent(empty, send, tmp_path):
    (tmp_path / "bricks.nsh").touch()  # somebody's: it is not written over
    key = send(empty, "bricks_albedo.png", "bricks_roughness.png")
    empty.control("start", kind="textures", maps=key, bpp=6.0, seconds=0.3, seed=2)
    ended(empty)
    assert empty.fit["output"] == "bricks_2.nsh" and empty.fit["picture"] == "bricks"
    facts = neuralshade.info(tmp_path / "bricks_2.nsh")
    assert facts["kind"] == "textures" and facts["recipe"]["bpp"] == 6.0
    assert facts["recipe"]["seed"] == 2
    panes = empty.scene["panes"][:2]
    empty.frame(panes=panes)
    assert set(empty.pictures) == set(panes)
    empty.control("start", seconds=0.3, seed=3)  # the same again
    ended(empty, 2)
    assert neuralshade.info(tmp_path / "bricks_2.nsh")["recipe"]["seed"] == 3


def test_how_to_go_on_names_no_folder_that_goes_with_the_page(empty, send, caplog):
    key = send(empty, "bricks_albedo.png", "bricks_roughness.png")
    empty.control("start", kind="textures", maps=key, seconds=600.0)
    empty.until(lambda: empty.progress is not None and empty.progress["step"] > 0)
    empty.control("start", seconds=0.3)
    ended(empty, 2)
    (told,) = (line for line in caplog.messages if line.startswith("stopped at step "))
    assert told.endswith(
        ": the fit is kept in bricks.checkpoint.nsh. Go on, with the files that were sent in a "
        "folder 'bricks', with: neuralshade fit textures bricks -o bricks.nsh --resume "
        "bricks.checkpoint.nsh"
    )


@pytest.mark.slow
def test_mip_levels_of_maps_that_were_sent(device, empty, send, tmp_path):
    key = send(empty, "albedo.png", "roughness.png")
    empty.control("start", kind="mipmaps", maps=key, seconds=0.3)
    ended(empty)
    assert empty.fit["output"] == "maps_mipmaps/maps.nsh"
    assert [p.suffix for p in (tmp_path / "maps_mipmaps").iterdir() if "albedo" in p.name]


@pytest.mark.slow
def test_a_material_of_maps_that_were_sent(empty, send, tmp_path):
    key = send(empty, "wood_albedo.png", "wood_roughness.png")
    empty.control("start", kind="material", maps=key, seconds=0.3)
    ended(empty)
    assert neuralshade.info(tmp_path / "wood.nsh")["kind"] == "material"


@pytest.mark.parametrize("wanted, line", [
    ({"kind": "textures", "maps": "m9"},
     "start.maps: got 'm9', need maps that were uploaded and kept. Send them again."),
    ({"kind": "splats", "maps": "m1"},
     "start.kind: got splats for maps, need one of ['mipmaps', 'textures', 'material']. Choose one "
     "of them."),
    ({"maps": "m1"},
     "start.kind: got image for maps, need one of ['mipmaps', 'textures', 'material']. Choose one "
     "of them."),
    ({"kind": "textures", "maps": "m1", "picture": "p1"},
     "control.maps: got a picture too, need one of the two."),
    ({"kind": "shader"},
     "start.kind: got shader for a picture, need one of ['image', 'splats']. Start it in a "
     "terminal: neuralshade fit shader --live."),
])  # fmt: skip
def test_a_fit_survives_maps_that_cannot_be_fitted(fitting, look, wanted, line):
    fitting()
    page = look()
    page.reach(5)
    page.control("start", **wanted)
    assert page.next("refused")["text"] == line
    assert page.fit["id"] == 1 and page.fit["state"] == "running"


def test_a_fit_survives_a_set_that_lacks_a_map(fitting, look, send):
    fitting()
    page = look()
    page.reach(5)
    page.control("start", kind="mipmaps", maps=send(page, "wood_albedo.png"))
    line = page.next("refused")["text"]
    assert line.startswith("start.maps: wood: got no roughness among wood_albedo.png, need ")
    assert page.fit["id"] == 1 and page.fit["state"] == "running"
