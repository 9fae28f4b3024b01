"""kinds/mipmaps/fit: maps come from files, and what cannot be done is refused in time."""

import json

import numpy as np
import OpenImageIO
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import ConfigError, DeviceError, OutputError, PictureError
from neuralshade.kinds.mipmaps.asset import map_names, stored_level, stored_levels
from neuralshade.kinds.mipmaps.build import base_maps


def write_maps(folder, waves, size=(8, 12), normal_name="x_normal", dtype=np.uint8):
    """Write a set of maps as PNG files of 8 or 16 bits."""
    folder.mkdir(exist_ok=True)
    peak = np.iinfo(dtype).max
    rng = np.random.default_rng(0)
    maps = {"x_albedo": rng.integers(0, peak, (*size, 3)),
            normal_name: np.rint((waves(*size, 0.3) + 1) / 2 * peak),
            "x_roughness": rng.integers(0, peak, (*size, 1))}  # fmt: skip
    for name, values in maps.items():
        pixels = np.ascontiguousarray(values.astype(dtype))
        spec = OpenImageIO.ImageSpec(size[1], size[0], pixels.shape[2], np.dtype(dtype).name)
        writer = OpenImageIO.ImageOutput.create(str(folder / f"{name}.png"))
        assert writer.open(str(folder / f"{name}.png"), spec)
        assert writer.write_image(pixels)
        writer.close()
    return folder


def test_a_folder_of_maps(device, stand, short, waves):
    """By default into the current folder; what is missing or flipped is told and kept."""
    write_maps(stand / "rock", waves, normal_name="x_nor_dx")
    result = neuralshade.fit_mipmaps("rock", **short)
    assert result.asset == "rock_mips/rock.nsh"
    written = [name for name in map_names(False) if name != "metallic"]
    assert result.files == tuple(f"rock_mips/{name}.dds" for name in written)
    assert "metallic: no such map, taken as 0 everywhere." in result.notes
    assert "normal: green flipped from DirectX to OpenGL." in result.notes
    assert neuralshade.info(result.asset)["maps"]["notes"] == list(result.notes)
    assert len(neuralshade.evaluate(result.asset, "rock")) == 9


def test_16_bits_make_the_same_levels_as_8(device, stand, short, waves):
    """Nearly: level 0 of the asset has 8 bits."""
    textures = []
    for name, dtype in (("eight", np.uint8), ("sixteen", np.uint16)):
        folder = write_maps(stand / name, waves, dtype=dtype)
        result = neuralshade.fit_mipmaps(folder, stand / f"{name}_out", **short)
        textures.append(neuralshade.load_texture_set(folder))
        chain = stored_levels(neuralshade.load(result.asset))
        np.testing.assert_array_equal(
            chain[0]["normal"], stored_level(base_maps(textures[-1], weighted=True))["normal"]
        )
    np.testing.assert_allclose(textures[0].normal, textures[1].normal, atol=0.01)


def test_a_said_convention_is_kept_for_evaluate(device, stand, short, waves):
    write_maps(stand / "rock", waves)
    result = neuralshade.fit_mipmaps("rock", "out", normal_convention="directx", **short)
    assert neuralshade.info(result.asset)["maps"]["normal_convention"] == "directx"
    assert len(neuralshade.evaluate(result.asset, "rock")) == 9


@pytest.fixture
def refused(refusal):
    """Return what calls a fit that must raise, and returns the message: one line."""
    return lambda kind, *given, **settings: refusal(
        kind, neuralshade.fit_mipmaps, *given, **settings
    )


def test_refused_before_training_and_nothing_left(stand, set_of, refused, waves, same_message):
    write_maps(stand / "rock", waves)
    before = sorted(stand.rglob("*"))
    same_message(refused(ConfigError, set_of(1, 1), "out"), "waves", "larger")
    same_message(refused(ConfigError, "rock", "out", formats=("bmp",)), "format", "Write")
    message = refused(ConfigError, "rock", "out", formats=("ktx2", "ktx2-bc"))
    same_message(message, "format", "Leave")
    same_message(refused(ConfigError, set_of(), "out", maps={"albedo": "a.png"}), "albedo", "Leave")
    message = refused(ConfigError, set_of(), "out", options=FitOptions(movie="a.gif"))
    same_message(message, "movie", "Leave")
    message = refused(DeviceError, set_of(), "out", options=FitOptions(engine="torch"))
    same_message(message, "engine", "--engine")
    assert "gone/x" in refused(OutputError, set_of(), "gone/x")
    (stand / "file").write_text("x")
    assert "file" in refused(OutputError, set_of(), "file")
    (stand / "file").unlink()
    (stand / "rock/x_roughness.png").rename(stand / "kept.png")
    assert "roughness" in refused(ConfigError, "rock", "out")
    (stand / "rock/x_roughness.png").write_text("no picture")
    assert "x_roughness.png" in refused(PictureError, "rock", "out")
    (stand / "kept.png").replace(stand / "rock/x_roughness.png")
    assert sorted(stand.rglob("*")) == before


def test_no_map_is_written_over(stand, refused, waves, same_message):
    """The folder of the maps as output, where one is called as a level would be."""
    write_maps(stand / "rock", waves)
    (stand / "rock/x_albedo.png").rename(stand / "rock/albedo_0.png")
    before = (stand / "rock/albedo_0.png").read_bytes()
    message = refused(OutputError, "rock", "rock", formats=("png",))
    same_message(message, "rock/albedo_0.png", "Choose")
    assert (stand / "rock/albedo_0.png").read_bytes() == before


def test_a_name_leads_to_no_other_folder(device, stand, short, waves):
    write_maps(stand / "rock", waves)
    paths = {"albedo": "rock/x_albedo.png", "normal": "rock/x_normal.png",
             "roughness": "rock/x_roughness.png", "name": "../a/b"}  # fmt: skip
    (stand / "set.json").write_text(json.dumps(paths))
    assert neuralshade.fit_mipmaps("set.json", **short).asset == ".._a_b_mips/.._a_b.nsh"


def test_rates_that_diverge_are_no_silent_success(
    device, stand, monkeypatch, set_of, short, refused
):
    from neuralshade.kinds.mipmaps.engine import MipEngine

    monkeypatch.setattr(MipEngine, "advance", lambda self, factors: float("nan"))
    assert refused(ConfigError, set_of(), "out", **short) == (
        f"waves: diverged at step {short['steps']}: the loss is not finite. Lower the rates."
    )
    assert not any((stand / "out").iterdir())
