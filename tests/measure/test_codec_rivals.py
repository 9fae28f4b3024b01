"""measure/codec_rivals: picture files of a whole set at given bytes."""

import sys

import numpy as np
import pytest
import skimage.data
from PIL import Image

from neuralshade.measure import codec_rivals as module
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.codec_rivals import Codec, codec_rivals, codecs
from neuralshade.measure.map_psnr import with_z
from neuralshade.measure.texture_rivals import ByteMaps

BYTES = 12_000


@pytest.fixture(scope="module")
def maps():
    photo = skimage.data.astronaut()[40:136, 180:290]
    albedo, rough, two = photo, photo[..., :1], photo[..., 1:]
    tilt = (photo[..., :2].astype(np.float32) - 128) / 255
    levels = {"albedo": albedo, "normal": to_uint8(with_z(tilt / 2 + 0.5)), "rough": rough,
              "flow": two}  # fmt: skip
    chains = {name: [level, level[::2, ::2]] for name, level in levels.items()}
    return ByteMaps(chains, frozenset({"normal"}), frozenset({"albedo"}))


@pytest.fixture(scope="module")
def rivals(maps):
    return {rival.name: rival for rival in codec_rivals(maps, BYTES)}


@pytest.mark.parametrize("name", [codec.name for codec in codecs()])
def test_files_fit_the_budget_and_use_it(name, rivals, maps):
    rival = rivals[name]
    assert 0.85 * BYTES < rival.disk_bytes <= BYTES
    assert rival.setting.startswith("quality ") and not rival.random_access
    assert rival.psnr_db.keys() == rival.maps.keys() == maps.levels.keys()
    for name, shown in rival.maps.items():
        target = maps.levels[name][0]
        assert (shown.dtype, shown.shape) == (np.uint8, target.shape)
        assert rival.psnr_db[name] > 22
    assert rival.mean_psnr_db == pytest.approx(np.mean([*rival.psnr_db.values()]))


def test_avif_is_the_best_and_jpeg_the_worst(rivals):
    """Of these three, on photographs."""
    if "AVIF" not in rivals:
        pytest.skip("needs Pillow 11.3")
    means = [rivals[name].mean_psnr_db for name in ("JPEG", "WebP", "AVIF")]
    assert means == sorted(means) and means[-1] > means[0] + 1.5


def test_memory_is_that_of_plain_texels(rivals):
    texels = 96 * 110 + 48 * 55
    for rival in rivals.values():
        assert rival.memory_bytes == texels * (4 + 2 + 1 + 2)
        assert rival.memory_format == "rgba8, rg8, r8"


def test_normals_are_read_by_x_and_y(rivals):
    for rival in rivals.values():
        vectors = rival.maps["normal"].astype(np.float32) / 255 * 2 - 1
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=2), 1, atol=0.02)


@pytest.mark.parametrize("codec", codecs(), ids=lambda codec: codec.name)
def test_the_next_quality_does_not_fit(codec, rivals, maps):
    quality = int(rivals[codec.name].setting.split(",")[0].removeprefix("quality "))
    pictures = [module._picture(levels[0]) for levels in maps.levels.values()]
    sizes = [sum(len(codec.encode(p, q)) for p in pictures) for q in (quality, quality + 1)]
    assert sizes[0] == rivals[codec.name].disk_bytes and sizes[1] > BYTES


@pytest.mark.parametrize("off", [1.0, 0.89, 1.2])
def test_a_draft_whose_sizes_are_off_costs_few_files(off):
    """Each file of AVIF takes seconds; sizes of drafts are a tenth off, which was gone step by
    step."""
    tried = []

    def size(quality):
        return int(100 * 1.06**quality)

    def encode(picture, quality):
        if picture.height > 256:
            tried.append(quality)
        return b"x" * (picture.height * size(quality) // 1000)

    def draft(picture, quality):
        return b"x" * int(picture.height * size(quality) * off / 1000)

    codec = Codec("X", encode, 0, 2000, "whole", draft)
    setting, files = module._spent([Image.new("L", (4, 1000))], size(71) + 1, codec)
    assert setting == "quality 71, whole" and len(files[0]) == size(71)
    assert len(tried) <= 4 and {71, 72} <= {*tried}


def test_webp_is_lossless_where_that_fits(maps):
    rival = {rival.name: rival for rival in codec_rivals(maps, 400_000)}["WebP"]
    assert rival.setting == "lossless"
    assert rival.psnr_db["albedo"] == rival.psnr_db["rough"] == 99


def test_what_is_not_possible_says_why(maps):
    for rival in codec_rivals(maps, 100):
        assert rival.maps == {} and rival.psnr_db == {} and rival.mean_psnr_db is None
        assert rival.disk_bytes == 0
        assert rival.setting.startswith("not possible: quality ")
        assert rival.setting.endswith(" bytes")
    for rival in codec_rivals(maps, BYTES, largest_px=1 << 10):
        assert rival.setting == "not tried: more than 0 megapixels"


def test_a_picture_beyond_a_format(maps):
    wide = ByteMaps({"x": [np.zeros((1, 16_500, 1), np.uint8)]})
    settings = {rival.name: rival.setting for rival in codec_rivals(wide, 5_000)}
    assert settings["WebP"] == "not possible: at most 16,383 pixels a side"
    assert settings["JPEG"].startswith("quality ")


def test_pillow_without_avif(monkeypatch):
    without = {name: save for name, save in Image.SAVE.items() if name != "AVIF"}
    monkeypatch.setattr(Image, "SAVE", without)
    assert "AVIF" not in {codec.name for codec in codecs()}


def test_jpeg_xl_with_its_plugin(monkeypatch, tmp_path):
    assert importable("pillow_jxl") == ("JPEG XL" in {codec.name for codec in codecs()})
    (tmp_path / "pillow_jxl.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pillow_jxl", raising=False)
    last = codecs()[-1]
    assert isinstance(last, Codec) and last.name == "JPEG XL"
    sys.modules.pop("pillow_jxl")  # monkeypatch would bring it back


def importable(name):
    return module.importlib.util.find_spec(name) is not None
