"""source/material_set: what folders, manifests and files hold comes in as maps of one size."""

import json

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError, ShapeError
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.image_file import load_picture
from neuralshade.source.material_set import MaterialMap, MaterialSet, load_material_set
from neuralshade.source.texture_set import load_texture_set

SIZE = (12, 20)
REAL = {
    "ambientcg_Bark014": (1024, 1024, "roughness ao displacement"),
    "ambientcg_Bricks102": (512, 1024, "roughness ao displacement"),
    "ambientcg_Facade005": (1024, 1024, "roughness metallic displacement"),
    "polyhaven_tea_set_01": (1024, 1024, "roughness metallic ao"),
}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "rock"


@pytest.fixture
def draw(rng):
    """Give random pixels of a number of channels."""

    def draw(channels=3, dtype=np.uint8, size=SIZE):
        shape = (*size, channels) if channels > 1 else size
        if np.dtype(dtype).kind == "f":
            return rng.random(shape, dtype=np.float32)
        return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)

    return draw


@pytest.fixture
def written(folder, textures):
    """Write maps by the stem of their files; return the folder."""

    def written(**maps):
        folder.mkdir(exist_ok=True)
        for name, pixels in maps.items():
            suffix = ".exr" if pixels.dtype == np.float32 else ".png"
            textures.write(folder / f"{name}{suffix}", pixels)
        return folder

    return written


def test_values_of_a_folder(written, rng, draw, textures):
    maps = {"x_color": draw(), "x_disp": draw(1, np.uint16), "x_arm": draw(), "x_mask": draw(1),
            "x_specular": draw(), "x_emission": draw(1)}  # fmt: skip
    normal = textures.height_field(rng, *SIZE)
    folder = written(**maps, x_nor_gl=textures.stored(normal, np.uint16), x_thumb=draw())
    found = load_material_set(folder)
    assert (found.name, found.height, found.width) == ("rock", *SIZE)
    assert found.names == ("albedo", "normal", "roughness", "metallic", "ao", "displacement",
                           "emissive", "opacity", "specular")  # fmt: skip
    assert found.notes == ("x_thumb.png: not used.",)
    wanted = {
        "albedo": (maps["x_color"], 8, "srgb"), "roughness": (maps["x_arm"][..., 1], 8, "data"),
        "metallic": (maps["x_arm"][..., 2], 8, "data"), "ao": (maps["x_arm"][..., 0], 8, "data"),
        "displacement": (maps["x_disp"], 16, "data"), "emissive": (maps["x_emission"], 8, "srgb"),
        "opacity": (maps["x_mask"], 8, "data"), "specular": (maps["x_specular"], 8, "srgb"),
    }  # fmt: skip
    for name, (pixels, bits, meaning) in wanted.items():
        one = found[name]
        assert (one.name, one.bits, one.meaning) == (name, bits, meaning)
        assert one.values.dtype == np.float32 and one.values.flags.c_contiguous
        peak = np.float32(2**bits - 1)
        np.testing.assert_array_equal(one.values, pixels.reshape(*SIZE, -1) / peak)
    assert found["normal"].bits == 16 and found["normal"].meaning == "normal"
    np.testing.assert_allclose(found["normal"].values, normal, atol=1e-4)
    assert found["ao"].path == folder / "x_arm.png"


def test_floats_keep_their_range(written, draw):
    color, height, wet = (draw(channels, np.float32) for channels in (3, 1, 3))
    color, height = color * 9 - 1, height * 50 - 20
    found = load_material_set(written(color=color, emissive=color + 1, height=height, wet=wet),
                              maps={"wet": written() / "wet.exr"})  # fmt: skip
    below = np.count_nonzero(color < 0)
    assert found.notes == (f"albedo: {below} values below 0 clipped.",)
    assert [(one.meaning, one.bits) for one in found.maps] == [
        ("linear", 32), ("data", 32), ("linear", 32), ("data", 32),
    ]  # fmt: skip
    np.testing.assert_array_equal(found["albedo"].values, np.maximum(color, 0))
    np.testing.assert_array_equal(found["emissive"].values, color + 1)
    np.testing.assert_array_equal(found["displacement"].values, height[..., None])
    np.testing.assert_array_equal(found["wet"].values, wet)


def test_half_counts_as_16_bits(tmp_path, write_samples, draw):
    write_samples(tmp_path / "ao.exr", draw(1).reshape(*SIZE, 1), "half", ("Y",))
    assert load_material_set(tmp_path)["ao"].bits == 16


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_alpha_of_albedo_is_the_opacity(written, draw, dtype):
    albedo = draw(4, dtype)
    if dtype == np.float32:
        albedo[..., :3] *= albedo[..., 3:]  # as OpenEXR prescribes
    folder = written(leaf_color=albedo, leaf_ao=draw(1))
    found = load_material_set(folder)
    peak = 1 if dtype == np.float32 else np.float32(np.iinfo(dtype).max)
    assert found.names == ("albedo", "ao", "opacity")
    name = found["albedo"].path.name
    assert found.notes == (
        f"opacity: taken from the alpha of {name}; albedo is not multiplied by it.",
    )
    np.testing.assert_array_equal(found["opacity"].values, albedo[..., 3:] / peak)
    assert found["opacity"].path == found["albedo"].path
    color = albedo[..., :3] / (albedo[..., 3:] if dtype == np.float32 else peak)
    np.testing.assert_allclose(found["albedo"].values, color, rtol=1e-5)


def test_alpha_that_is_not_needed(written, draw):
    opaque = np.dstack([draw(), np.full(SIZE, 255, np.uint8)])
    found = load_material_set(written(leaf_color=opaque))
    assert found.names == ("albedo",) and found.notes == ()
    folder = written(leaf_color=draw(4), leaf_alpha=draw(1), leaf_ao=np.dstack([draw(1)] * 4))
    assert load_material_set(folder).notes == (
        "albedo: its alpha is left out, as opacity comes from leaf_alpha.png.",
        "ao: its alpha is left out.",
    )
    of_itself = {"path": folder / "leaf_color.png", "channel": "a"}
    found = load_material_set(folder / "leaf_color.png", maps={"opacity": of_itself})
    assert found.notes == () and found.names == ("albedo", "opacity")


def test_maps_of_ones_own(written, draw, tmp_path):
    """Numbers, or a color where that is said; a few texels in color are enough to be three."""
    sparse = np.zeros((*SIZE, 3), np.uint8)
    sparse[3, 4] = (200, 0, 0)
    grey = np.dstack([draw(1) // 2 + 60] * 3)
    grey[..., 0] += 4  # as JPEG leaves it
    written(a=sparse, b=grey, c=draw(4))
    values = {"masks": "rock/a.png", "dust": "rock/b.png", "name": "Moss",
              "paint": {"path": "rock/c.png", "color": True},
              "flag": {"path": "rock/c.png", "channel": "a"},
              "specular": {"path": "rock/c.png", "color": False},
              "sheen": "rock/b.png", "fuzz": {"path": "rock/b.png", "color": True}}  # fmt: skip
    (tmp_path / "set.json").write_text(json.dumps(values))
    found = load_material_set(tmp_path / "set.json")
    assert found.name == "Moss"
    assert {one.name: (one.meaning, one.values.shape[2]) for one in found.maps} == {
        "specular": ("data", 3), "fuzz": ("srgb", 3), "sheen": ("data", 1), "masks": ("data", 3),
        "dust": ("data", 1), "paint": ("srgb", 3), "flag": ("data", 1),
    }  # fmt: skip
    np.testing.assert_array_equal(found["dust"].values[..., 0], grey[..., 1] / np.float32(255))
    assert found.notes == ()  # the alpha is a map, too


def test_files_one_by_one(written, draw):
    folder = written(rock_rough=draw(1), wet=draw(1))
    found = load_material_set([folder / "rock_rough.png", str(folder / "wet.png")])
    assert found.names == ("roughness", "wet") and found.notes == ()
    one = load_material_set(folder / "wet.png")
    assert (one.name, one.names) == ("wet", ("wet",))
    np.testing.assert_array_equal(one["wet"].values, found["wet"].values)


def test_directx_normals(written, rng, textures):
    wanted = textures.height_field(rng, 64, 64)
    pixels = textures.flipped(textures.stored(wanted))
    folder = written(normal=pixels)
    flip = "normal: green flipped from DirectX to OpenGL."
    for found in (load_material_set(folder),
                  load_material_set(folder, normal_convention="directx")):  # fmt: skip
        np.testing.assert_allclose(found["normal"].values, wanted, atol=0.008)
        assert found.notes[-1] == flip
    assert (
        load_material_set(folder, normal_convention="opengl")
        .notes[0]
        .endswith("check its green channel.")
    )
    with pytest.raises(ConfigError, match="normal_convention"):
        load_material_set(folder, normal_convention="gl")


def test_smaller_maps_are_brought_to_the_largest(written, rng, draw, textures):
    """Colors in linear light, as a texture unit filters them; normals are made unit."""
    small = np.zeros((2, 2, 3), np.uint8)
    small[:, 1] = 255
    normal = textures.stored(textures.height_field(rng, 3, 5))
    folder = written(color=small[:, :1].repeat(2, 1), emissive=small, ao=draw(1, size=(4, 4)),
                     rough=np.full((1, 1), 51, np.uint8))  # fmt: skip
    found = load_material_set(folder)
    light = srgb_to_linear(found["emissive"].values)
    np.testing.assert_allclose(light[0, :, 0], [0.25, 0.25, 0.75, 0.75], atol=1e-6)
    assert (found["albedo"].values == 0).all() and (found["roughness"].values == 0.2).all()
    for name, size in (("albedo", "2 x 2"), ("roughness", "1 x 1"), ("emissive", "2 x 2")):
        assert (f"{name}: {size} resized to 4 x 4, the size of ao (bilinear, wrapping around)."
                in found.notes)  # fmt: skip
    folder = written(normal=normal, ao=draw(1, size=(6, 10)))
    found = load_material_set([folder / "normal.png", folder / "ao.png"])
    lengths = np.linalg.norm(found["normal"].values, axis=-1)
    assert lengths.shape == (6, 10) and np.abs(lengths - 1).max() < 1e-6


def test_the_smallest_set(written):
    found = load_material_set(written(color=np.full((1, 1, 3), 51, np.uint8)))
    assert (found.width, found.height) == (1, 1)
    np.testing.assert_array_equal(found["albedo"].values, np.full((1, 1, 3), np.float32(0.2)))


def refusal(kind, *args, **options):
    with pytest.raises(kind) as caught:
        load_material_set(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_pictures_refused(written, draw, same_message):
    folder = written(ao=draw(1), rough=draw(1, size=(12, 21)), height=draw(), nan=draw(1))
    same_message(refusal(PictureError, folder / "height.png"), f"{folder}/height.png", "arm")
    message = refusal(PictureError, [folder / "ao.png", folder / "rough.png"])
    same_message(message, "texture set", "Scale")
    bad = draw(1, np.float32)
    bad[1, 2] = np.inf
    written(ao_bad=bad)
    assert "got NaN or infinity in 1 value" in refusal(PictureError, folder / "ao_bad.exr")
    assert "raise memory_limit" in refusal(PictureError, folder / "ao.png", memory_limit=100)
    gone = folder / "gone_ao.png"
    assert refusal(PictureError, gone).startswith(f"{gone}: got no such file, need a picture.")


def test_sets_made_in_memory(same_message):
    ones = np.ones((2, 3, 1), np.float32)
    ao = MaterialMap("ao", ones, "data")
    found = MaterialSet("mine", (ao, MaterialMap("wet", ones, "data", 8)))
    assert (found.names, found.width, found.height) == (("ao", "wet"), 3, 2)
    for maps, kind, text in (
        ((), ConfigError, "mine: got no map, need one at least. Add a map."),
        ((ao, ao), ConfigError, "mine: got two maps called ao, need each once. "
                                "Rename one of them."),
        ((ao, MaterialMap("wet", ones[:1], "data")), ShapeError,
         "mine: got wet of 3 x 1 beside ao of 3 x 2, need one size. Scale one of them."),
    ):  # fmt: skip
        with pytest.raises(kind) as caught:
            MaterialSet("mine", maps)
        assert str(caught.value) == text
    with pytest.raises(ConfigError) as caught:
        found["weet"]
    same_message(str(caught.value), "mine", "wet?")


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_real_sets(textures, name):
    """The same numbers as mip levels are trained from, and what those leave out."""
    folder = textures.data / name
    if not folder.exists():
        pytest.skip("needs the texture sets in ../shared/data or NEURALSHADE_DATA")
    found, other = load_material_set(folder), load_texture_set(folder)
    height, width, more = REAL[name]
    assert (found.name, found.height, found.width) == (name, height, width)
    assert found.names == ("albedo", "normal", *more.split())
    np.testing.assert_array_equal(found["normal"].values, other.normal)
    np.testing.assert_array_equal(found["roughness"].values[..., 0], other.roughness)
    np.testing.assert_array_equal(srgb_to_linear(found["albedo"].values), other.albedo)
    if "displacement" in found.names:
        pixels = load_picture(found["displacement"].path).as_float()
        np.testing.assert_array_equal(
            found["displacement"].values[..., 0], pixels[..., pixels.shape[2] // 2]
        )
