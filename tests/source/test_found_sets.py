"""source/map_files, map_reader: sets as engines, shops and bakers name their files."""

import json

import numpy as np
import pytest

from neuralshade.errors import ConfigError, PictureError
from neuralshade.source.material_set import load_material_set
from neuralshade.source.texture_set import load_texture_set

SIZE = (16, 24)


@pytest.fixture
def plane(rng):
    """Give a function that returns a random channel."""
    return lambda: rng.integers(1, 255, SIZE, dtype=np.uint8)


@pytest.fixture
def folder(tmp_path, rng, textures, plane):
    """Give a function that writes files by stem, albedo and normals among them; and the folder."""

    def folder(albedo="x_BaseColor", normal="x_Normal", **maps):
        given = {albedo: np.dstack([plane(), plane(), plane()]),
                 normal: textures.stored(textures.height_field(rng, *SIZE)), **maps}  # fmt: skip
        for stem, pixels in given.items():
            textures.write(tmp_path / f"{stem}.png", pixels)
        return tmp_path

    return folder


def numbers(pixels):
    return pixels / np.float32(255)


def test_unity_mask_maps(folder, plane):
    metal, ao, detail, smooth = (plane() for _ in range(4))
    found = load_texture_set(folder("x_BaseMap", x_MaskMap=np.dstack([metal, ao, detail, smooth])))
    np.testing.assert_array_equal(found.metallic, numbers(metal))
    np.testing.assert_array_equal(found.ao, numbers(ao))
    np.testing.assert_allclose(found.roughness, 1 - numbers(smooth), atol=1e-6)
    whole = load_material_set(found.paths["ao"].parent)
    assert whole.names == ("albedo", "normal", "roughness", "metallic", "ao")
    note = "roughness: 1 minus the gloss of x_MaskMap.png, as there is no roughness."
    assert note in found.notes and note in whole.notes


@pytest.mark.parametrize("word", ["Gloss", "Glossiness", "Smoothness"])
def test_gloss_is_roughness_where_there_is_none(folder, plane, word):
    smooth, rough = plane(), plane()
    place = folder(**{f"x_{word}": smooth})
    for load in (load_texture_set, load_material_set):
        found = load(place)
        said = f"roughness: 1 minus the gloss of x_{word}.png, as there is no roughness."
        assert said in found.notes
    np.testing.assert_allclose(found["roughness"].values[..., 0], 1 - numbers(smooth), atol=1e-6)
    folder(x_Roughness=rough)
    np.testing.assert_array_equal(load_texture_set(place).roughness, numbers(rough))
    assert f"x_{word}.png: not used." in load_texture_set(place).notes
    whole = load_material_set(place)
    np.testing.assert_array_equal(whole["gloss"].values[..., 0], numbers(smooth))


def test_a_manifest_and_arrays_have_gloss_too(folder, plane):
    smooth = plane()
    place = folder(x_shiny=smooth)
    (place / "set.json").write_text(json.dumps({"albedo": "x_BaseColor.png",
                                                "smoothness": "x_shiny.png"}))  # fmt: skip
    for source in (place / "set.json", {"albedo": np.dstack([smooth] * 3), "gloss": smooth}):
        for found in (load_texture_set(source).roughness,
                      load_material_set(source)["roughness"].values[..., 0]):  # fmt: skip
            np.testing.assert_allclose(found, 1 - numbers(smooth), atol=1e-6)


def test_specular_with_gloss_in_its_alpha(folder, plane):
    color, smooth = np.dstack([plane(), plane(), plane()]), plane()
    found = load_material_set(folder(x_SpecularGlossiness=np.dstack([color, smooth])))
    np.testing.assert_array_equal(found["specular"].values, numbers(color))
    np.testing.assert_allclose(found["roughness"].values[..., 0], 1 - numbers(smooth), atol=1e-6)


@pytest.mark.parametrize("grey", [False, True])
def test_metal_with_smoothness_in_its_alpha(folder, plane, grey):
    metal, smooth = plane(), plane()
    color = [metal] if grey else [metal, plane(), plane()]
    found = load_texture_set(folder(x_MetallicSmoothness=np.dstack([*color, smooth])))
    np.testing.assert_array_equal(found.metallic, numbers(metal))
    np.testing.assert_allclose(found.roughness, 1 - numbers(smooth), atol=1e-6)


def test_an_albedo_with_its_opacity(folder, plane):
    color, cut = np.dstack([plane(), plane(), plane()]), plane()
    place = folder("leaf_AO", "leaf_Normal", leaf_Albedo_Alpha=np.dstack([color, cut]))
    (place / "leaf_AO.png").unlink()
    found = load_material_set(place)
    np.testing.assert_array_equal(found["albedo"].values, numbers(color))
    np.testing.assert_array_equal(found["opacity"].values[..., 0], numbers(cut))
    folder("leaf_Albedo", "leaf_Normal")
    found = load_material_set(place)
    assert found["albedo"].path.name == "leaf_Albedo.png"
    np.testing.assert_array_equal(found["opacity"].values[..., 0], numbers(cut))
    assert ("albedo: taken from leaf_Albedo.png, not from leaf_Albedo_Alpha.png, whose alpha is "
            "another map.") in found.notes  # fmt: skip


@pytest.mark.parametrize("stem, order", [
    ("x_MRAO", ("metallic", "roughness", "ao")), ("x_RMAO", ("roughness", "metallic", "ao")),
    ("x_occlusion_roughness_metallic", ("ao", "roughness", "metallic")),
    ("x_ao_rough_metal", ("ao", "roughness", "metallic")), ("x_rough_ao", ("ao", "roughness")),
    ("x_ORMH", ("ao", "roughness", "metallic", "displacement")),
])  # fmt: skip
def test_packed_maps(folder, plane, stem, order):
    """Of nearly grey ones too, which are no map of one number by that."""
    first = plane()
    channels = [first, first, first // 2 + 60, first // 3][: max(3, len(order))]
    found = load_material_set(folder(**{stem: np.dstack(channels)}))
    for name, channel in zip(order, channels, strict=False):
        np.testing.assert_array_equal(found[name].values[..., 0], numbers(channel))


def test_the_alpha_of_a_packed_map_is_the_height_where_nothing_else_is(folder, plane):
    packed = np.dstack([plane() for _ in range(4)])
    place = folder(x_ORM=packed)
    found = load_material_set(place)
    np.testing.assert_array_equal(found["displacement"].values[..., 0], numbers(packed[..., 3]))
    assert "displacement: taken from the alpha of x_ORM.png." in found.notes
    assert any("alpha is left out" in note for note in load_texture_set(place).notes)
    height = plane()
    folder(x_Height=height)
    found = load_material_set(place)
    np.testing.assert_array_equal(found["displacement"].values[..., 0], numbers(height))
    assert ("ao: its alpha is left out, as displacement comes from x_Height.png." in found.notes
            or "roughness: its alpha is left out, as displacement comes from x_Height.png."
            in found.notes)  # fmt: skip


def test_of_two_files_that_differ_in_bits_the_better_is_taken(folder, plane, textures, rng):
    better = textures.stored(textures.height_field(rng, *SIZE))
    disp, disp16 = plane(), plane()
    place = folder("B_COL_3K", "B_NRM_3K", B_NRM16_3K=better, B_ROUGHNESS_3K=plane(),
                   B_DISP_3K=disp, B_DISP16_3K=disp16)  # fmt: skip
    found = load_material_set(place)
    assert found["normal"].path.name == "B_NRM16_3K.png"
    np.testing.assert_array_equal(found["displacement"].values[..., 0], numbers(disp16))
    assert ("normal: taken from B_NRM16_3K.png, not from B_NRM_3K.png, which has fewer bits or "
            "less detail.") in found.notes  # fmt: skip


def test_levels_of_detail_and_formats_of_one_map_do_not_refuse_a_set(folder, plane, textures, rng):
    place = folder("x_4K_Albedo", "x_4K_Normal", x_4K_Roughness=plane(),
                   x_4K_Normal_LOD0=textures.stored(textures.height_field(rng, *SIZE)))  # fmt: skip
    textures.write(place / "x_4K_Roughness.exr", rng.random(SIZE, dtype=np.float32))
    found = load_texture_set(place)
    assert found.paths["normal"].name == "x_4K_Normal.png"
    assert found.paths["roughness"].name == "x_4K_Roughness.exr"
    assert ("roughness: taken from x_4K_Roughness.exr, not from x_4K_Roughness.png of the same "
            "name.") in found.notes  # fmt: skip


def test_other_spaces_and_masks_are_left_out(folder, plane):
    color = np.dstack([plane(), plane(), plane()])
    place = folder("lp_Base_color", "lp_Normal_OpenGL", lp_World_Space_Normal=color,
                   lp_Roughness=plane(), lp_dirt_mask=plane())  # fmt: skip
    found = load_material_set(place)
    assert found.names == ("albedo", "normal", "roughness")
    assert "lp_World_Space_Normal.png, lp_dirt_mask.png: not used." in found.notes


def test_a_doubtful_map_that_no_set_needs_is_left_out(folder, plane):
    color = np.dstack([plane(), plane(), plane()])
    place = folder(x_Roughness=plane(), x_Height=color, x_AO=color)
    found = load_material_set(place)
    assert found.names == ("albedo", "normal", "roughness")
    assert any(note.startswith(f"displacement: left out. {place}/x_Height.png: got a picture in")
               for note in found.notes)  # fmt: skip
    assert load_texture_set(place).ao is None
    with pytest.raises(PictureError, match="got a picture in color for displacement"):
        load_material_set(place, maps={"height": place / "x_Height.png"})


def test_a_mask_map_without_alpha_has_no_roughness(folder, plane):
    place = folder(x_MaskMap=np.dstack([plane(), plane(), plane()]))
    with pytest.raises(PictureError, match="need channel a for roughness"):
        load_texture_set(place)


@pytest.mark.parametrize("size", [(1, 1), (8, 8), (64, 3)])
def test_a_constant_map_has_any_shape(folder, size):
    place = folder(x_Roughness=np.full(size, 51, np.uint8), x_Metallic=np.zeros(size, np.uint8))
    found = load_texture_set(place)
    assert found.roughness.shape == SIZE and (found.roughness == np.float32(0.2)).all()
    assert load_material_set(place)["metallic"].values.shape == (*SIZE, 1)


def test_maps_that_are_all_constant_have_the_size_of_the_largest(tmp_path, textures):
    for stem, size in {"albedo": (4, 6, 3), "roughness": (2, 2)}.items():
        textures.write(tmp_path / f"{stem}.png", np.full(size, 90, np.uint8))
    assert load_texture_set(tmp_path).albedo.shape == (4, 6, 3)


TILED = ("wood_BaseColor.{}", "wood_Normal.{}", "wood_Roughness.{}")


@pytest.mark.parametrize("names, named", [
    (TILED, "wood.{}"), (TILED, "{}"), (TILED, "wood_{}"),
    (("wood_{}_BaseColor", "wood_{}_Normal", "wood_{}_Roughness"), "wood_{}"),
    (("wood.{}.BaseColor", "wood.{}.Normal", "wood.{}.Roughness"), "wood.{}"),
])  # fmt: skip
@pytest.mark.parametrize("tiles", [("1001", "1002", "1011"), ("u1_v1", "u2_v1")])
def test_udim_tiles(folder, plane, names, named, tiles):
    rough = {}
    for tile in tiles:
        rough[tile] = plane()
        albedo, normal, other = (name.format(tile) for name in names)
        place = folder(albedo, normal, **{other: rough[tile]})
    for tile in tiles:
        found = load_texture_set(place / named.format(tile))
        np.testing.assert_array_equal(found.roughness, numbers(rough[tile]))
        assert all(tile in path.name for path in found.paths.values())


def test_several_tiles_are_named(folder, plane):
    for tile in (1001, 1002):
        place = folder(*(name.format(tile) for name in TILED[:2]),
                       **{TILED[2].format(tile): plane()})  # fmt: skip
    for load in (load_texture_set, load_material_set):
        with pytest.raises(ConfigError) as caught:
            load(place)
        assert str(caught.value) == (
            f"{place}: got maps of 2 UDIM tiles, 1001, 1002, need those of one. Name it by its "
            f"number: {place}/wood.1001"
        )
