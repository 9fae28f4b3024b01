"""kinds/image/quality: a GPU evaluates what the CPU does, and no fit does so in vain."""

import logging

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.asset.tensors import pack_field
from neuralshade.engine.engine_choice import EngineChoice
from neuralshade.engine.kernels.infer import infer
from neuralshade.engine.kernels.infer.field_inference import exact_text, field_inference
from neuralshade.engine.kernels.infer.infer import Inference
from neuralshade.errors import DeviceError
from neuralshade.kinds.image import quality
from neuralshade.kinds.image.field import build_field, stored_field
from neuralshade.kinds.image.quality import stored_quality
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.hidden_color import visible_picture
from neuralshade.source.picture import picture_from_array

GRID = "dense_grid:levels=1,features=2,coarsest=2,width=5,height=4"
CASES = {  # height, width and channels
    "odd": (17, 13, 3), "one texel": (1, 1, 3), "one row": (1, 50, 3), "alpha": (9, 14, 4),
    "hdr": (9, 14, 3), "hdr with alpha": (11, 6, 4),
}  # fmt: skip
APART_DB = 1e-4  # before rounding to thousandths: float32 sums in another order
FIT = {"encoding": GRID, "hidden_width": 8, "steps": 4}


def case_of(name):
    """Return a recipe, an untrained field's tensors, and a random picture."""
    height, width, channels = CASES[name]
    hdr = name.startswith("hdr")
    recipe = ImageRecipe(encoding=GRID, hidden_width=8, grid_bits=4,
                         output_activation="exp" if hdr else "none")  # fmt: skip
    rng = torch.Generator().manual_seed(2)
    field = build_field(recipe, channels, rng)
    pixels = np.random.default_rng(3).random((height, width, channels), np.float32)
    if hdr:
        pixels[..., :3] *= 50
    with torch.no_grad():
        for texels in field.encoding.parameters():
            texels.normal_(0, 1, generator=rng)
    picture = visible_picture(picture_from_array(pixels, "linear" if hdr else "srgb"))
    assert picture.hdr == hdr and picture.alpha_weighted == (name == "alpha")
    return recipe, pack_field(field), picture


@pytest.fixture
def counted(monkeypatch):
    """Give the list of pictures that are evaluated from now on."""
    found, inner = [], quality._quality

    def noted(picture, blocks):
        found.append(picture)
        return inner(picture, blocks)

    monkeypatch.setattr(quality, "_quality", noted)
    return found


@pytest.mark.parametrize("name", [
    "odd", "one texel", "one row", *(pytest.param(name, marks=pytest.mark.slow)
                                     for name in ("alpha", "hdr", "hdr with alpha")),
])  # fmt: skip
@pytest.mark.parametrize("whole", [True, False])
def test_a_gpu_evaluates_what_the_cpu_does(gpu, monkeypatch, name, whole):
    """In parts that begin and end within rows, too."""
    recipe, tensors, picture = case_of(name)
    if not whole:
        monkeypatch.setattr(infer, "BLOCK_PIXELS", 64)
        monkeypatch.setattr(quality, "COMPARED_PIXELS", 40)
    monkeypatch.setattr(quality, "rounded_db", lambda value: value)
    wanted, found = (stored_quality(recipe, tensors, picture, each) for each in (None, gpu))
    assert found.keys() == wanted.keys()
    assert found.pop("psnr_db") == pytest.approx(wanted.pop("psnr_db"), abs=APART_DB)
    if picture.hdr:
        assert found["light_kept"] == pytest.approx(wanted["light_kept"], rel=2e-4)
        assert found["log_psnr_db"] == pytest.approx(wanted["log_psnr_db"], abs=2e-3)


def test_its_kernel_is_the_one_that_is_prepared(gpu):
    recipe, tensors, picture = case_of("odd")
    untrained = build_field(recipe, picture.channels, torch.Generator())
    stored = stored_field(recipe, tensors, picture.channels, "asset")
    inference = field_inference(gpu, stored, exact=True)
    assert inference.text_of("draw_pixels") == exact_text(untrained, "draw_pixels")


def test_a_gpu_without_memory_leaves_it_to_the_cpu(gpu, monkeypatch, caplog):
    def refused(*args):
        raise DeviceError("memory: got none.")
        yield

    caplog.set_level(logging.INFO, "neuralshade")
    case = case_of("odd")
    monkeypatch.setattr(Inference, "picture_parts", refused)
    assert stored_quality(*case, gpu) == stored_quality(*case)
    assert caplog.messages == ["the CPU evaluates the result: memory: got none."]


@pytest.mark.parametrize("passes, evaluated", [(0, 1), (2, 2)])
def test_a_fit_evaluates_what_it_stores_once(tmp_path, counted, passes, evaluated):
    """And what it had before code refinement, for the gain."""
    pixels = np.random.default_rng(1).random((12, 9, 3), np.float32)
    options = neuralshade.FitOptions(engine="torch", device="cpu")
    found = neuralshade.fit_image(pixels, tmp_path / "a.nsh", options=options, polish=passes,
                                  **FIT)  # fmt: skip
    assert len(counted) == evaluated
    assert found.search is None or found.search.moved > 0
    asset = neuralshade.load(found.asset)
    recipe, picture = asset.recipe, picture_from_array(pixels)
    assert stored_quality(recipe, asset.tensors, picture) == asset.header.quality


@pytest.mark.slow
def test_a_fit_on_hardware_evaluates_through_it(tmp_path, counted, monkeypatch):
    """Software Vulkan stands in for it."""
    pixels = np.random.default_rng(1).random((12, 9, 4), np.float32)
    monkeypatch.setattr(EngineChoice, "hardware", property(lambda choice: choice.gpu))
    drawn, inner = [], Inference.picture_parts

    def noted(inference, *size):
        drawn.append(size)
        return inner(inference, *size)

    monkeypatch.setattr(Inference, "picture_parts", noted)
    options = neuralshade.FitOptions(engine="gpu", device="vulkan")
    found = neuralshade.fit_image(pixels, tmp_path / "a.nsh", options=options, polish=2, **FIT)
    assert drawn == [(9, 12)] * 2 and len(counted) == 2 and found.search.failed is None
    asset = neuralshade.load(found.asset)
    picture = visible_picture(picture_from_array(pixels))
    host = stored_quality(asset.recipe, asset.tensors, picture)
    assert found.psnr_db == pytest.approx(host["psnr_db"], abs=1e-3)
