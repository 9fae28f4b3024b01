"""baking/gltf: which images of a model become which job, and what hostile files may not do."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from fixtures.gltf_models import ModelFile, encoded, material, normals, picture
from PIL import Image

from neuralshade.baking.gltf.jobs import model_jobs
from neuralshade.baking.gltf.writer import model_file
from neuralshade.errors import ConfigError, NeuralShadeError, OutputError
from neuralshade.source.material_set import load_material_set

RED = 0


def whole(tmp_path, how="inside"):
    """Return the file of a model with all slots, one image in two of them, and two materials."""
    file = ModelFile()
    base = file.image(picture(1), how, "maps/base color.png")
    orm = file.image(picture(2), how, "orm.png")
    normal = file.image(normals(3), how, "normal.png")
    glow = file.image(picture(4, form="JPEG"), how, "glow.jpg")
    file.document["materials"] = [
        material("Wall: red/1", base, orm, normal, orm, glow),
        material("floor", base, orm),
    ]
    return file.save(tmp_path / "house.glb")


@pytest.mark.parametrize("how", ["inside", "text", "beside"])
def test_images_of_all_slots_are_one_job(tmp_path, how):
    found = model_jobs(whole(tmp_path, how), tmp_path / "out", {"steps": 9})
    (job,) = found.jobs  # of both materials: those of the second are among those of the first
    assert (job.kind, job.name, job.output) == ("textures", "Wall_red_1", "Wall_red_1.nsh")
    assert job.settings == {"wrap": "repeat", "steps": 9}
    assert job.place.endswith("house.glb: materials[0]")
    assert sorted(Path(path).name for path in job.subject) == [
        "albedo.png", "emissive.jpg", "normal_gl.png", "orm.png",
    ]  # fmt: skip
    assert Path(job.subject[0]).read_bytes() == picture(1)  # unchanged
    maps = load_material_set(job.subject)
    assert maps.names == ("albedo", "normal", "roughness", "metallic", "ao", "emissive")
    orm = np.asarray(Image.open(Path(job.subject[2]).with_name("orm.png"))) / 255
    for channel, name in enumerate(("ao", "roughness", "metallic")):
        np.testing.assert_allclose(maps[name].values[..., 0], orm[..., channel], atol=1e-6)
    assert found.notes == ()


def test_files_that_are_there_already_stay(tmp_path):
    path = whole(tmp_path)
    first = model_jobs(path, tmp_path / "out").jobs[0].subject
    times = [Path(one).stat().st_mtime_ns for one in first]
    assert [Path(one).stat().st_mtime_ns for one in model_jobs(path, tmp_path / "out").jobs[0]
            .subject] == times  # fmt: skip


def one_material(tmp_path, *contents, suffix=".glb", **how):
    """Return the jobs of a model whose material is made from images by ``how``."""
    file = ModelFile()
    rows = [file.image(one) for one in contents]
    file.document["materials"] = [material("wall", *rows, **how)]
    return model_jobs(file.save(tmp_path / f"x{suffix}"), tmp_path / "out")


def test_an_alpha_that_means_nothing_is_not_fitted(tmp_path):
    see_through = picture(1, channels=4)
    plain = one_material(tmp_path, see_through)
    assert load_material_set(plain.jobs[0].subject).names == ("albedo",)
    cut = one_material(tmp_path, see_through, alphaMode="MASK")
    assert load_material_set(cut.jobs[0].subject).names == ("albedo", "opacity")


def test_materials_that_cut_and_do_not_have_sets_of_their_own(tmp_path):
    file = ModelFile()
    base = file.image(picture(1, channels=4))
    file.document["materials"] = [material("solid", base), material("cut", base, alphaMode="BLEND")]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert [one.name for one in found.jobs] == ["solid", "cut"]


def test_occlusion_of_an_image_in_color_is_its_red(tmp_path):
    image = picture(5)
    found = one_material(tmp_path, picture(1), picture(2), occlusion=None, normal=None)
    assert len(found.jobs) == 1
    file = ModelFile()
    rows = [file.image(picture(1)), file.image(image)]
    file.document["materials"] = [material("wall", rows[0], occlusion=rows[1])]
    (job,) = model_jobs(file.save(tmp_path / "y.glb"), tmp_path / "out").jobs
    red = np.asarray(Image.open(next(one for one in job.subject if one.endswith("ao.png"))))
    np.testing.assert_array_equal(
        red, np.asarray(Image.open(save_bytes(tmp_path, image)))[..., RED]
    )


def save_bytes(tmp_path, content):
    (tmp_path / "image").write_bytes(content)
    return tmp_path / "image"


def test_sixteen_bits_and_grey_are_kept(tmp_path):
    deep = encoded(Image.fromarray(np.arange(64 * 64, dtype=np.uint16).reshape(64, 64)), "PNG")
    found = one_material(tmp_path, picture(1), deep)
    maps = load_material_set(found.jobs[0].subject)
    expected = np.arange(64 * 64).reshape(64, 64) / 65535
    for name in ("roughness", "metallic"):
        np.testing.assert_allclose(maps[name].values[..., 0], expected, atol=1e-7)


def test_colors_are_srgb_whatever_their_tag(tmp_path):
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    found = one_material(tmp_path, picture(1, icc_profile=profile))
    assert b"iCCP" not in Path(found.jobs[0].subject[0]).read_bytes()


def mapped(index, **transform):
    return {"index": index, "extensions": {"KHR_texture_transform": transform}}


@pytest.mark.parametrize(
    "change, names",
    [
        (lambda one: one["normalTexture"].update(mapped(1, scale=[2, 2])), ["wall", "wall_normal"]),
        (lambda one: one["normalTexture"].update(texCoord=1), ["wall", "wall_normal"]),
        (lambda one: one["normalTexture"].update(mapped(1, texCoord=0)), ["wall"]),
        (lambda one: None, ["wall"]),
    ],
)  # fmt: skip
def test_textures_that_lie_otherwise_are_sets_of_their_own(tmp_path, change, names):
    file = ModelFile()
    one = material("wall", file.image(picture(1)), normal=file.image(normals(2)))
    change(one)
    file.document["materials"] = [one]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert [job.name for job in found.jobs] == names


def test_another_aspect_ratio_is_a_set_of_its_own_and_other_sizes_are_not(tmp_path):
    file = ModelFile()
    rows = [file.image(one) for one in (picture(1, (96, 64)), picture(2, (64, 64)),
                                        normals(3, (48, 32)))]  # fmt: skip
    file.document["materials"] = [material("wall", rows[0], rows[1], rows[2])]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert [job.name for job in found.jobs] == ["wall", "wall_metallic_roughness"]
    assert load_material_set(found.jobs[0].subject).names == ("albedo", "normal")


@pytest.mark.parametrize("wraps, wrap", [((10497, 10497), "repeat"), ((33071, 10497), "clamp"),
                                         ((33648, 33648), "clamp")])  # fmt: skip
def test_the_border_is_that_of_the_sampler(tmp_path, wraps, wrap):
    file = ModelFile()
    base = file.image(picture(1))
    file.document["samplers"] = [{"wrapS": wraps[0], "wrapT": wraps[1]}]
    file.document["textures"][0]["sampler"] = 0
    file.document["materials"] = [material("wall", base)]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert found.jobs[0].settings["wrap"] == wrap


def test_small_and_unknown_images_stay_with_a_note(tmp_path):
    file = ModelFile()
    rows = [file.image(picture(1)), file.image(normals(1, (8, 8))), file.image(b"\xabKTX 20\xbb")]
    file.document["materials"] = [
        material("wall", rows[0], emissive=rows[2], extensions={"KHR_materials_clearcoat": {}}),
        material("tiny", normal=rows[1]),
    ]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert [one.name for one in found.jobs] == ["wall"]
    assert [note.partition("x.glb: ")[2] for note in found.notes] == [
        "images[2] is no PNG, JPEG or WebP ('image/jpeg'), and stays as it is.",
        "'KHR_materials_clearcoat': kept as they are, neither fitted nor shown on the page.",
        "1 images of fewer than 4,096 texels stay as they are: a decoder would be larger.",
    ]


def test_names_are_safe_for_files(tmp_path):
    file = ModelFile()
    names = ["../../etc", "CON", "", "\u00fc", "wall", "WALL", "x" * 300]
    file.document["materials"] = [
        material(name, file.image(picture(seed))) for seed, name in enumerate(names)
    ]
    found = model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")
    assert [one.name for one in found.jobs] == [
        "etc", "CON_material", "material_2", "material", "wall", "WALL_2", "x" * 60,
    ]  # fmt: skip
    for job in found.jobs:
        for path in job.subject:
            assert Path(path).is_relative_to((tmp_path / "out" / ".bake").resolve())


def changed(change):
    def build(tmp_path):
        file = ModelFile()
        file.document["materials"] = [material("wall", file.image(picture(1)))]
        change(file.document)
        return model_jobs(file.save(tmp_path / "x.glb"), tmp_path / "out")

    return build


HOSTILE = {
    "a file elsewhere": changed(lambda d: d.update(images=[{"uri": "../secret.png"}])),
    "an absolute path": changed(lambda d: d.update(images=[{"uri": "/etc/passwd"}])),
    "an address": changed(lambda d: d.update(images=[{"uri": "https://x.y/z.png"}])),
    "no base64": changed(lambda d: d.update(images=[{"uri": "data:image/png;base64,@"}])),
    "a long view": changed(lambda d: d["bufferViews"][-1].update(byteLength=10**9)),
    "a cut image": changed(lambda d: d["bufferViews"][-1].update(byteLength=20)),
    "no such texture": changed(lambda d: d.update(textures=[])),
    "no such image": changed(lambda d: d.update(images=[])),
    "a texture that is no object": changed(lambda d: d.update(textures=[7])),
    "a strange border": changed(lambda d: [d.update(samplers=[{"wrapS": 7}]),
                                           d["textures"][0].update(sampler=0)]),
    "a strange alpha": changed(lambda d: d["materials"][0].update(alphaMode="X")),
    "a long factor": changed(lambda d: d["materials"][0].update(emissiveFactor=[1, 1])),
    "a huge factor": changed(lambda d: d["materials"][0].update(alphaCutoff=1e30)),
    "meshopt": changed(lambda d: d["bufferViews"][0].update(
        extensions={"EXT_meshopt_compression": {}})),
    "nothing to fit": changed(lambda d: d.update(materials=[])),
    "many materials": changed(lambda d: d.update(materials=[{}] * 5000)),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused(tmp_path, case, refusal, same_message):
    same_message(refusal(ConfigError, HOSTILE[case], tmp_path), tmp_path / "x.glb")


def test_the_model_is_not_replaced(tmp_path):
    path = whole(tmp_path)
    with pytest.raises(OutputError, match="Choose one with -o"):
        model_jobs(path, tmp_path)


def test_nothing_else_is_raised_for_random_changes(tmp_path):
    """Values of the JSON replaced by others: a job, or one of our errors."""
    rng = np.random.default_rng(0)
    for seed in range(100):
        file = ModelFile()
        file.document["materials"] = [
            material("wall", file.image(picture(1)), file.image(picture(2)))
        ]
        for _ in range(3):
            change(file.document, rng)
        target, model = tmp_path / f"{seed}.glb", None
        with contextlib.suppress(NeuralShadeError):
            model = model_jobs(file.save(target), tmp_path / "out").model
        if model is not None:  # what was fitted can be written
            assert model_file(model, {}, [], "x").startswith(b"glTF")


def change(node, rng):
    """Replace a random value below ``node``."""
    others = [None, -1, 0, 10**9, 1.5, "x", "\0", [], {}, [None], {"index": 10**6}, True]
    while True:
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = keys[rng.integers(len(keys))]
        if (
            key == "buffers"
            or not isinstance(node[key], dict | list)
            or not node[key]
            or (rng.random() < 0.2)
        ):
            if key not in ("buffers", "asset"):
                node[key] = others[rng.integers(len(others))]
            return
        node = node[key]


def test_the_page_is_not_that_of_the_bake(tmp_path):
    file = ModelFile()
    file.document["materials"] = [material("wall", file.image(picture(1)))]
    for name, page in (("bake", "bake_model.html"), ("house", "house.html")):
        found = model_jobs(file.save(tmp_path / f"{name}.glb"), tmp_path / "out")
        assert found.page.name == page
