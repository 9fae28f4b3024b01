"""source/texture_set: maps of every kind, size and convention come in as one set."""

import json

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import PictureError
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.texture_set import load_texture_set

FLIP = "normal: green flipped from DirectX to OpenGL."
NO_METAL = "metallic: no such map, taken as 0 everywhere."
REAL = {
    "ambientcg_Bark014": (1024, 1024, 0.62),
    "ambientcg_Bricks102": (512, 1024, None),  # None: its name says OpenGL
    "ambientcg_Facade005": (1024, 1024, 0.58),
    "ambientcg_Metal053C": (1024, 1024, 0.47),
    "polyhaven_tea_set_01": (1024, 1024, None),
    "polyhaven_wooden_bookshelf_worn": (1024, 1024, None),
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "rock"


def test_values_of_a_folder(folder, rng, textures):
    albedo = rng.integers(0, 256, (33, 20, 3), dtype=np.uint8)
    rough = rng.integers(0, 256, (33, 20), dtype=np.uint8)
    metal = rng.integers(0, 65536, (33, 20), dtype=np.uint16)
    normal = textures.height_field(rng, 33, 20)
    textures.write_set(
        folder, rng, (33, 20), rock_albedo=albedo, rock_roughness=rough, rock_metal=metal,
        rock_normal=None, rock_nor_gl=textures.stored(normal, np.uint16), rock_height=rough,
    )  # fmt: skip
    found = load_texture_set(folder)
    assert (found.name, found.height, found.width) == ("rock", 33, 20)
    np.testing.assert_array_equal(found.albedo, srgb_to_linear(albedo / 255))
    np.testing.assert_allclose(found.normal, normal, atol=1e-4)
    np.testing.assert_array_equal(found.roughness, rough / np.float32(255))
    np.testing.assert_array_equal(found.metallic, metal / np.float32(65535))
    assert found.ao is None and found.notes == ("rock_height.png: not used.",)
    for values in (found.albedo, found.normal, found.roughness, found.metallic):
        assert values.dtype == np.float32 and values.flags.c_contiguous
    assert found.paths == {
        "albedo": folder / "rock_albedo.png", "normal": folder / "rock_nor_gl.png",
        "roughness": folder / "rock_roughness.png", "metallic": folder / "rock_metal.png",
    }  # fmt: skip


@pytest.mark.parametrize("letters, order", [("arm", "arm"), ("orm", "arm"), ("rma", "rma")])
def test_packed_maps(folder, rng, textures, letters, order):
    packed = rng.integers(0, 256, (32, 48, 3), dtype=np.uint8)
    textures.write_set(folder, rng, rock_roughness=None, **{f"rock_{letters}": packed})
    found = load_texture_set(folder, normal_convention="opengl")
    for letter, values in zip("arm", (found.ao, found.roughness, found.metallic), strict=True):
        np.testing.assert_array_equal(values, packed[..., order.index(letter)] / np.float32(255))
    assert found.notes == ()


def test_a_map_of_its_own_goes_before_a_packed_one(folder, rng, textures):
    packed = rng.integers(0, 256, (32, 48, 3), dtype=np.uint8)
    found = load_texture_set(textures.write_set(folder, rng, rock_arm=packed))
    np.testing.assert_array_equal(found.ao, packed[..., 0] / np.float32(255))
    assert found.paths["roughness"].name == "rock_roughness.png"
    assert found.notes[0] == (
        "roughness: taken from rock_roughness.png, not from the packed rock_arm.png."
    )


@pytest.mark.parametrize("name, turned, start", [
    ("rock_nor_gl", False, ""),
    ("rock_nor_dx", True, ""),
    ("rock_nor", False, "normal: found to be OpenGL by its slopes (margin 0.9"),
    ("rock_nor", True, "normal: found to be DirectX by its slopes (margin 0.9"),
])  # fmt: skip
def test_conventions(folder, rng, textures, name, turned, start):
    """By name, and by the slopes where the name does not say, the same normals come out."""
    wanted = textures.height_field(rng, 64, 64)
    pixels = textures.stored(wanted)
    pixels = textures.flipped(pixels) if turned else pixels
    textures.write_set(folder, rng, (64, 64), rock_normal=None, **{name: pixels})
    found = load_texture_set(folder)
    np.testing.assert_allclose(found.normal, wanted, atol=0.008)
    notes = [note for note in found.notes if note.startswith("normal")]
    assert notes[bool(start) :] == [FLIP][:turned]
    assert not start or notes[0].startswith(start)


@pytest.mark.parametrize("said, seen", [("opengl", "DirectX"), ("directx", "OpenGL")])
def test_what_is_said_is_kept_against_the_slopes(folder, rng, textures, said, seen):
    values = textures.stored(textures.height_field(rng, 64, 64))
    values = textures.flipped(values) if seen == "DirectX" else values
    textures.write_set(folder, rng, (64, 64), rock_normal=values)
    found = load_texture_set(folder, normal_convention=said)
    other = load_texture_set(folder)
    np.testing.assert_array_equal(found.normal, other.normal * np.float32([1, -1, 1]))
    called = {"opengl": "OpenGL", "directx": "DirectX"}[said]
    assert found.notes[0].startswith(
        f"normal: taken as {called} as it was said, but its slopes look like {seen} (margin 0."
    )
    assert found.notes[0].endswith(" of 1): check its green channel.")


def test_a_convention_that_nothing_tells(folder, rng, textures):
    noise = rng.integers(80, 176, (64, 64, 3), dtype=np.uint8)
    noise[..., 2] = 240 - rng.integers(0, 2, (64, 64))
    found = load_texture_set(textures.write_set(folder, rng, (64, 64), rock_normal=noise))
    np.testing.assert_array_equal(found.normal[..., 1] > 0, noise[..., 1] > 127)
    assert found.notes[-2].startswith(
        "normal: taken as OpenGL (green up); neither its name nor its slopes say (margin 0.0"
    )


def test_opengl_of_both_is_taken(folder, rng, textures):
    values = textures.stored(textures.height_field(rng, 32, 48))
    both = {"rock_normal": None, "rock_nor_gl": values, "rock_nor_dx": textures.flipped(values)}
    found = load_texture_set(textures.write_set(folder, rng, **both))
    assert found.paths["normal"].name == "rock_nor_gl.png"
    assert found.notes == (
        "normal: taken from rock_nor_gl.png (OpenGL), not from rock_nor_dx.png (DirectX).",
        NO_METAL,
    )


def manifest(folder, values):
    path = folder / "set.json"
    path.write_text(json.dumps(values))
    return path


def test_manifest(folder, rng, textures):
    packed = rng.integers(0, 256, (32, 48, 4), dtype=np.uint8)
    normal = textures.stored(textures.height_field(rng, 32, 48))
    textures.write_set(
        folder, rng, other=packed, rock_normal=normal, green=textures.flipped(normal)
    )
    path = manifest(folder, {
        "name": "Granite", "albedo": "rock_albedo.png",
        "normal": {"path": "green.png", "convention": "directx"},
        "roughness": {"path": "other.png", "channel": "g"},
        "metallic": {"path": "other.png", "channel": "a"},
    })  # fmt: skip
    found, plain = load_texture_set(path), load_texture_set(folder)
    assert found.name == "Granite" and found.paths["normal"] == folder / "green.png"
    np.testing.assert_array_equal(found.roughness, packed[..., 1] / np.float32(255))
    np.testing.assert_array_equal(found.metallic, packed[..., 3] / np.float32(255))
    np.testing.assert_allclose(found.normal, plain.normal, atol=1e-6)
    assert found.notes == (FLIP,)


def test_single_files(folder, rng, textures):
    textures.write_set(folder, rng, chosen=np.full((32, 48), 51, np.uint8))
    paths = {name: folder / f"rock_{name}.png" for name in ("albedo", "normal", "roughness")}
    found, whole = load_texture_set(**paths), load_texture_set(folder)
    assert (found.name, whole.notes) == ("rock", ("chosen.png: not used.", *found.notes))
    np.testing.assert_array_equal(found.albedo, whole.albedo)
    np.testing.assert_array_equal(found.normal, whole.normal)
    other = load_texture_set(folder, roughness=str(folder / "chosen.png"), ao=None)
    assert other.name == "rock" and other.roughness[0, 0] == np.float32(0.2)


def test_kinds_of_pictures(folder, rng, textures):
    """Grey and translucent albedo, palettes, gamma-free floats, alpha beside numbers."""
    grey = rng.integers(0, 256, (32, 48), dtype=np.uint8)
    textures.write_set(folder, rng, rock_albedo=grey, rock_metal=np.dstack([grey] * 4))
    Image.fromarray(grey).convert("P").save(folder / "rock_roughness.png")
    found = load_texture_set(folder)
    linear = srgb_to_linear(grey / 255)
    np.testing.assert_array_equal(found.albedo, np.dstack([linear] * 3))
    np.testing.assert_array_equal(found.roughness, grey / np.float32(255))
    np.testing.assert_array_equal(found.metallic, grey / np.float32(255))

    color = rng.random((32, 48, 4), dtype=np.float32)
    color[..., :3] *= color[..., 3:]  # as OpenEXR prescribes
    (folder / "rock_albedo.png").unlink()
    textures.write_set(folder, rng, rock_albedo=color)
    (folder / "rock_albedo.png").unlink(missing_ok=True)
    found = load_texture_set(folder)
    np.testing.assert_allclose(found.albedo, color[..., :3] / color[..., 3:], rtol=1e-5)
    np.testing.assert_array_equal(found.opacity, color[..., 3])
    note = "opacity: taken from the alpha of rock_albedo.exr; albedo is not multiplied by it."
    assert note in found.notes


def test_grey_in_color_is_read_from_green(folder, rng, textures):
    """As JPEG leaves grey: the other channels a little off."""
    grey = rng.integers(3, 250, (32, 48), dtype=np.uint8)
    textures.write_set(folder, rng, rock_roughness=np.dstack([grey - 3, grey, grey + 2]))
    np.testing.assert_array_equal(load_texture_set(folder).roughness, grey / np.float32(255))


def test_floats_beyond_one_are_clipped_and_told(folder, rng, textures):
    values = rng.random((32, 48), dtype=np.float32)
    values[3, 4:6] = (-0.5, 7)
    textures.write_set(folder, rng, rock_roughness=values)
    found = load_texture_set(folder)
    np.testing.assert_array_equal(found.roughness, np.clip(values, 0, 1))
    assert "roughness: 2 values beyond [0, 1] clipped." in found.notes


def test_smaller_maps_are_brought_to_the_largest(folder, rng, textures):
    rough = np.array([[0, 255], [51, 204]], np.uint8)
    textures.write_set(
        folder, rng, (4, 4), rock_roughness=rough, rock_ao=np.full((1, 1), 51, np.uint8)
    )
    found = load_texture_set(folder, normal_convention="opengl")
    along = np.array([[0.25, 0.25, 0.75, 0.75], [0.35, 0.35, 0.65, 0.65]])  # wraps around
    upper, lower = 0.75 * along[0] + 0.25 * along[1], 0.25 * along[0] + 0.75 * along[1]
    np.testing.assert_allclose(found.roughness, [upper, upper, lower, lower], atol=1e-6)
    assert found.ao.shape == (4, 4) and set(found.ao.ravel()) == {np.float32(0.2)}
    assert found.notes == (
        "roughness: 2 x 2 resized to 4 x 4, the size of albedo (bilinear, wrapping around).",
        "ao: 1 x 1 resized to 4 x 4, the size of albedo (bilinear, wrapping around).",
        NO_METAL,
    )


@pytest.mark.parametrize("small, large", [((20, 30), (50, 75)), ((257, 513), (513, 1025))])
def test_any_ratio_of_sizes(folder, rng, textures, small, large):
    normal = textures.stored(textures.height_field(rng, *small))
    textures.write_set(folder, rng, large, rock_normal=normal)
    found = load_texture_set(folder)
    assert (found.height, found.width) == large
    assert found.normal.shape == (*large, 3)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=-1), 1, atol=1e-6)


@pytest.mark.parametrize("size", [(1, 1), (1, 5), (7, 3), (2, 2)])
def test_odd_and_smallest_sizes(folder, rng, textures, size):
    found = load_texture_set(textures.write_set(folder, rng, size))
    assert found.albedo.shape == found.normal.shape == (*size, 3)
    assert found.roughness.shape == found.metallic.shape == size
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=-1), 1, atol=1e-6)


def refusal(*args, **options):
    with pytest.raises(PictureError) as caught:
        load_texture_set(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_other_shapes_refused(folder, rng, textures, same_message):
    textures.write_set(folder, rng, rock_roughness=rng.integers(0, 256, (32, 40), dtype=np.uint8))
    same_message(refusal(folder), folder, "Scale")


def test_color_for_one_number_refused(folder, rng, textures, same_message):
    textures.write_set(folder, rng, other=rng.integers(0, 256, (32, 48, 3), dtype=np.uint8))
    same_message(refusal(folder, roughness=folder / "other.png"), f"{folder}/other.png", "arm")


def test_packed_map_without_its_channels_refused(folder, rng, textures, same_message):
    textures.write_set(folder, rng, other=np.zeros((32, 48), np.uint8))
    message = refusal(folder, rma=folder / "other.png", ao=folder / "other.png")
    same_message(message, f"{folder}/other.png", "Give")
    entry = {"path": folder / "rock_normal.png", "channel": "a"}
    same_message(refusal(folder, metallic=entry), f"{folder}/rock_normal.png", "Give")


def test_nan_and_memory_refused(folder, rng, textures, same_message):
    values = np.zeros((32, 48), np.float32)
    values[1, 2] = np.nan
    textures.write_set(folder, rng, rock_roughness=values)
    same_message(refusal(folder), f"{folder}/rock_roughness.exr", "Replace")
    assert "raise memory_limit" in refusal(folder, memory_limit=100)


@pytest.mark.parametrize("name", REAL)
def test_real_sets(textures, name):
    if not (textures.data / name).exists():
        pytest.skip("needs the texture sets in ../shared/data or NEURALSHADE_DATA")
    found = load_texture_set(textures.data / name)
    height, width, margin = REAL[name]
    assert (found.name, found.height, found.width) == (name, height, width)
    assert 0.02 < found.albedo.mean() < 0.7 and 0.03 < found.roughness.mean() < 0.8
    assert (found.normal[..., 2] > 0).all() and found.normal[..., 2].mean() > 0.8
    assert (found.metallic.any()) == (name[:6] == "polyha" or name[-4:] in ("e005", "053C"))
    told = f"normal: found to be OpenGL by its slopes (margin {margin:.2f} of 1)." if margin else ""
    assert (told in found.notes) if margin else not any("slopes" in n for n in found.notes)
