"""kinds/mipmaps/fit: what comes out is right, never worse than a filter, and read by others."""

import json
import re
from types import SimpleNamespace

import numpy as np
import OpenImageIO
import pytest
from fixtures.small_judges import judge_by_many
from PIL import Image

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.mipmaps.asset import decoded_level, map_names, stored_level, stored_levels
from neuralshade.kinds.mipmaps.build import base_maps
from neuralshade.kinds.mipmaps.files import planned_files
from neuralshade.measure.plane.mip_filters import Maps, box_chain
from neuralshade.measure.plane.plane_view import PlaneView

BETTER = 0.75  # of box's error, near a mirror's lights, after BUMPY_FIT
BUMPY_FIT = {"steps": 96, "pool": 64, "roughness_rate": 0.02, "slope_rate": 0.1}


@pytest.fixture
def small_plane(monkeypatch):
    """Draw lit planes of a few pixels: those of a page take seconds."""
    view = PlaneView(width=48, height=27)
    monkeypatch.setattr(PlaneView, "showing", classmethod(lambda cls, base: view))


@pytest.fixture(scope="module")
def bumpy(device, share_device, tmp_path_factory, set_of):
    """Give a metal of waves, trained well enough, in all formats. Not to be written to."""
    folder, textures = tmp_path_factory.mktemp("bumpy"), set_of()
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        judge_by_many(patch)
        result = neuralshade.fit_mipmaps(
            textures, folder / "out", formats=("png", "exr", "dds", "ktx2-bc"), **BUMPY_FIT
        )
    return SimpleNamespace(folder=folder / "out", result=result, textures=textures)


@pytest.mark.slow
def test_waves_of_metal_are_better_than_their_means(bumpy):
    errors = bumpy.result.errors["mirror"]
    for level in range(3):
        assert errors["kept"][level] < BETTER * errors["box"][level], level


def test_never_worse_than_the_best_filter(bumpy):
    """By no kind of lights that it is chosen by; a little for others of them, or it is told."""
    for kind, errors in bumpy.result.errors.items():
        for level, method in enumerate(bumpy.result.kept):
            best = min(errors[f"stored_{name}"][level] for name in ("box", "toksvig", "lean"))
            told = f"level {level + 1}" in "".join(bumpy.result.notes)
            assert errors["kept"][level] <= 1.06 * best + 1e-3 or told, (kind, level, method)


@pytest.mark.slow
def test_mirrors_may_be_favored(device, stand, set_of, many_lights):
    """Then a level is chosen by the mean over single lights, and no sky is trained on."""
    result = neuralshade.fit_mipmaps(set_of(), "out", favor="mirror", **BUMPY_FIT)
    assert result.notes == ()
    mirror, cosine = result.errors["mirror"], result.errors["cosine"]
    for level, method in enumerate(result.kept):
        both = {name: mirror[name][level] + cosine[name][level] for name in mirror}
        kept = both.pop("kept")
        assert kept <= 1.1 * min(both.values()) + 0.004, (level, method)


def test_what_is_told(bumpy):
    result, names = bumpy.result, [path.name for path in bumpy.folder.iterdir()]
    assert result.sizes == ((37, 23), (18, 11), (9, 5), (4, 2), (2, 1), (1, 1))
    assert (result.steps, len(result.kept)) == (96, 5)
    assert all(note.startswith("more wrong than the best filter") for note in result.notes)
    assert result.warnings == result.notes  # of these alone there is more to see
    assert sorted(names) == sorted(p.rpartition("/")[2] for p in (*result.files, result.asset))
    assert result.asset_bytes == (bumpy.folder / "waves.nsh").stat().st_size
    assert list(result.errors) == ["mirror", "cosine", "environment"]
    stored = {"kept", "stored_box", "stored_toksvig", "stored_lean"}
    for kind, found in result.errors.items():
        assert set(found) == {"box", "toksvig", "lean", "trained", *stored}
        assert set(result.bias[kind]) == stored
        assert all(0 < bias < 100 for biases in result.bias[kind].values() for bias in biases)
        assert all(0 <= e <= 2 for errors in found.values() for e in errors)
    json.dumps(vars(result))


def test_info_tells_of_the_levels(bumpy):
    facts = neuralshade.info(bumpy.folder / "waves.nsh")
    assert (facts["kind"], facts["picture"]) == ("mipmaps", None)
    assert facts["bits_per_pixel"] == 8 * facts["bytes"] / (37 * 23)
    assert facts["maps"]["kept"] == list(bumpy.result.kept)
    assert facts["maps"]["sizes"][1] == [18, 11]
    assert facts["parameters"] == 8 * (18 * 11 + 9 * 5 + 4 * 2 + 2 + 1)
    size = neuralshade.load(bumpy.folder / "waves.nsh").summary()["size"]
    assert re.fullmatch(r"[\d,]+ bytes, [\d.,]+ bits per texel of level 0", size)
    for light, errors in facts["quality"].items():
        for name, rows in errors.items():  # all digits: who prints one rounds it, and once
            assert [row["symmetric"] for row in rows] == bumpy.result.errors[light][name]
            biases = [row["color"] / row["reference"] for row in rows if "color" in row]
            assert biases == bumpy.result.bias[light].get(name, [])


def test_pictures_and_containers_hold_the_asset_s_levels(bumpy):
    levels = stored_levels(neuralshade.load(bumpy.folder / "waves.nsh"))
    for name in map_names(False):
        for i, level in enumerate(levels):
            with Image.open(bumpy.folder / f"{name}_{i}.png") as png:
                texels = np.asarray(png).reshape(level[name].shape)
            np.testing.assert_array_equal(texels, level[name])
    for name in ("albedo", "normal"):  # OpenImageIO does not read one channel
        file = OpenImageIO.ImageInput.open(str(bumpy.folder / f"{name}.dds"))
        for i, level in enumerate(levels):
            assert file.seek_subimage(0, i)
            texels = file.read_image(0, i, 0, 4, "uint8")[..., :3]
            np.testing.assert_array_equal(texels, level[name])
        file.close()


def test_exr_holds_what_the_asset_rounds(bumpy):
    levels = stored_levels(neuralshade.load(bumpy.folder / "waves.nsh"))
    for i, level in enumerate(levels):
        maps = {}
        for name in map_names(False):
            file = OpenImageIO.ImageInput.open(str(bumpy.folder / f"{name}_{i}.exr"))
            maps[name] = file.read_image("float")
            file.close()
        assert maps["normal"].min() >= -1
        np.testing.assert_allclose(np.linalg.norm(maps["normal"], axis=2), 1, atol=1e-5)
        scalars = {name: maps[name][..., 0] for name in ("roughness", "metallic")}
        rounded = stored_level(Maps(**maps | scalars))
        for name, values in rounded.items():
            np.testing.assert_array_equal(values, level[name])


def test_evaluate_has_the_numbers_of_the_fit(bumpy, many_lights):
    rows = neuralshade.evaluate(bumpy.folder / "waves.nsh", bumpy.textures)
    assert [row["level"] for row in rows] == np.repeat(range(1, 6), 3).tolist()
    for row in rows:
        level, told = row["level"] - 1, bumpy.result.errors[row["light"]]
        assert row["kept"] == bumpy.result.kept[level]
        assert row["ours"] == told["kept"][level]
        for name in ("box", "toksvig", "lean"):
            assert row[name] == told[f"stored_{name}"][level]
        assert row["drift"] == row["bias"] - 1
        biases = bumpy.result.bias[row["light"]]
        assert row["bias"] == biases["kept"][level]
        for name in ("box", "toksvig", "lean"):
            assert row[f"{name}_bias"] == biases[f"stored_{name}"][level]


def test_a_level_of_a_filter_has_the_error_of_that_filter(device, stand, set_of, short):
    """Both in 8 bits; levels of flat normals are nothing that training improves."""
    rng = np.random.default_rng(0)
    textures = set_of(16, 16, 0.0, albedo=rng.random((16, 16, 3)), roughness=1.0, metallic=0.0)
    result = neuralshade.fit_mipmaps(textures, "out", **short)
    filters = [level for level, kept in enumerate(result.kept) if kept != "trained"]
    assert filters
    for found in result.errors.values():
        for level in filters:
            assert found["kept"][level] == found[f"stored_{result.kept[level]}"][level]
    mirror = result.errors["mirror"]
    assert mirror["stored_box"] != mirror["box"]  # 8 bits are not nothing


def test_other_maps_are_refused(bumpy, set_of):
    with pytest.raises(AssetError) as caught:
        neuralshade.evaluate(bumpy.folder / "waves.nsh", set_of(steepness=0.2))
    assert str(caught.value) == (
        f"{bumpy.folder}/waves.nsh: got another normal map than that of its level 0 from 'waves', "
        "need the maps that it was trained from. Give their folder."
    )


def test_render_draws_a_lit_plane(bumpy, tmp_path, same_message):
    drawn = neuralshade.render(bumpy.folder / "waves.nsh", tmp_path / "p.png", size=(64, 36))
    assert drawn.shape == (36, 64, 3) and np.isfinite(drawn).all() and drawn.min() >= 0
    assert drawn[-10:].std() > 0  # the plane, where the sky has one color
    assert (tmp_path / "p.png").exists()
    with pytest.raises(ConfigError) as caught:
        neuralshade.render(bumpy.folder / "waves.nsh", size=(64, 36), crop=(0, 0, 0.5, 1))
    same_message(str(caught.value), "crop", "Leave")


def test_report_is_one_page(bumpy, tmp_path, small_plane):
    neuralshade.report(bumpy.folder / "waves.nsh", bumpy.textures, tmp_path / "r.html")
    training = neuralshade.load(bumpy.folder / "waves.nsh").header.training
    assert training["curve"][0][2] == pytest.approx(1.0, rel=1e-3)  # a box filter's over its own
    memory = neuralshade.info(bumpy.folder / "waves.nsh")["memory_bytes"]
    page = (tmp_path / "r.html").read_text()
    words = ("waves", "Toksvig", "LEAN", f"{memory:,} bytes", "1 is as wrong as they are.")
    assert all(word in page for word in (*words, "environment"))
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_a_picture_s_asset_has_no_maps(tmp_path, set_of, same_message):
    picture = neuralshade.picture_from_array(np.zeros((6, 5, 3), np.uint8))
    neuralshade.fit_image(picture, tmp_path / "a.nsh", preset="tiny-9", steps=2)
    with pytest.raises(AssetError) as caught:
        neuralshade.evaluate(tmp_path / "a.nsh", set_of(4, 4))
    same_message(str(caught.value), f"{tmp_path}/a.nsh", "Give")


def test_a_flat_set_stays_as_it_is(device, stand, set_of, short):
    """Its levels are right already, and no step makes one worse."""
    textures = set_of(12, 7, steepness=0.0)
    result = neuralshade.fit_mipmaps(textures, "out", **short)
    assert "trained" not in result.kept
    first, *below = stored_levels(neuralshade.load(result.asset))
    for level in below:
        for name, values in level.items():
            assert (values == first[name][0, 0]).all(), name


@pytest.mark.parametrize("lowest", [0.0, 0.2])
@pytest.mark.parametrize("described", [
    {"roughness": 0.0}, {"roughness": 1.0, "metallic": 0.0}, {"width": 1, "height": 6},
    {"width": 6, "height": 1}, {"width": 2, "height": 2},
    {"width": 5, "height": 3, "steepness": 3.0, "roughness": 0.0},
], ids=["smooth", "rough", "1x6", "6x1", "2x2", "steep mirror"])  # fmt: skip
def test_all_surfaces_sizes_and_grazing_lights(device, stand, described, lowest, set_of, short):
    """Lights at the horizon are below that of normals."""
    textures = set_of(**{"width": 12, "height": 7} | described)
    result = neuralshade.fit_mipmaps(textures, "out", lowest=lowest, **short)
    assert len(result.kept) == max(textures.width, textures.height).bit_length() - 1
    for found in result.errors.values():
        for level in range(len(result.kept)):
            errors = {name: rows[level] for name, rows in found.items()}
            assert np.isfinite(list(errors.values())).all()
    for level in stored_levels(neuralshade.load(result.asset))[1:]:
        shown = decoded_level(level)
        np.testing.assert_allclose(np.linalg.norm(shown["normal"], axis=2), 1, atol=1e-5)


def test_levels_are_as_many_as_asked_for(device, stand, set_of, short):
    result = neuralshade.fit_mipmaps(set_of(), "out", levels=2, formats=("png",), **short)
    assert result.sizes == ((37, 23), (18, 11), (9, 5)) and len(result.files) == 12


def test_equal_seeds_give_equal_files(device, stand, set_of, short):
    for name in ("a", "b"):
        neuralshade.fit_mipmaps(set_of(12, 7), name, seed=3, **short)
    neuralshade.fit_mipmaps(set_of(12, 7), "c", seed=4, **short)
    first, again, other = ((stand / name / "normal.dds").read_bytes() for name in "abc")
    assert first == again != other


def test_a_smaller_pool_is_told(device, stand, monkeypatch, set_of, short):
    monkeypatch.setattr("neuralshade.kinds.mipmaps.build.MOST_POOL_BYTES", 8 * 43 * 5)
    result = neuralshade.fit_mipmaps(set_of(16, 8), "out", favor="mirror", **short)
    note = "pool: 16 reduced to 4: so many pairs' references in 43 texels take 0.0 GB."
    assert result.notes == (note,)
    assert neuralshade.info(result.asset)["maps"]["notes"] == [note]


def test_levels_are_chosen_as_they_are_written(device, stand, monkeypatch, set_of, short):
    """Rounded: what 256 shades make of a filter's level counts, not the level itself."""
    from neuralshade.kinds.mipmaps import judge as judging

    judged, judge = [], judging.judge

    def watch(engine, chains, *rest, **named):
        judged.append(chains)
        return judge(engine, chains, *rest, **named)

    for module in ("choice", "fit"):
        monkeypatch.setattr(f"neuralshade.kinds.mipmaps.{module}.judge", watch)
    neuralshade.fit_mipmaps(set_of(12, 7), "out", **short)
    chosen, held_out = judged
    assert list(chosen) == ["box", "toksvig", "lean", "trained"]
    for name, numbers in chosen.items():
        metallic_and_rough = numbers[5:] * 255
        np.testing.assert_allclose(metallic_and_rough, metallic_and_rough.round(), atol=1e-3)
        np.testing.assert_allclose(numbers, held_out[name], atol=0.05)
    assert list(held_out) == [*chosen, "kept", "stored_box", "stored_toksvig", "stored_lean"]
    for name in ("box", "toksvig", "lean"):
        np.testing.assert_array_equal(held_out[f"stored_{name}"], chosen[name])


def test_planned_files_are_those_that_are_written(bumpy):
    planned = planned_files(bumpy.folder, ("png", "exr", "dds", "ktx2-bc"), map_names(False), 6)
    assert sorted(map(str, planned)) == sorted(bumpy.result.files)


def test_the_smallest_level_is_a_mean_where_nothing_shines(device, stand, set_of, short):
    """A rough flat set of colors: the average of albedo is what a trained level comes to."""
    rng = np.random.default_rng(0)
    textures = set_of(8, 8, 0.0, albedo=rng.random((8, 8, 3)), roughness=1.0, metallic=0.0)
    result = neuralshade.fit_mipmaps(textures, "out", **short)
    shown = decoded_level(stored_levels(neuralshade.load(result.asset))[-1])
    wanted = box_chain(base_maps(textures, weighted=True), 3)[-1].albedo
    np.testing.assert_allclose(shown["albedo"], wanted, atol=0.02)
