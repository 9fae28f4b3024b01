"""kinds/textures/fit: what cannot be fitted is refused in a line, before anything is written."""

import signal

import numpy as np
import pytest
from fixtures.texture_sets import DATA, material_map, small_set, waves

from neuralshade import FitOptions
from neuralshade.errors import AssetError, ConfigError, DeviceError, FitInterrupted, PictureError
from neuralshade.kinds.textures.fit import fit_textures


@pytest.fixture
def said(refusal, fitted, tmp_path):
    """Give a function that fits, and returns the message of what must refuse it."""

    def said(kind, textures, **settings):
        message = refusal(kind, fitted, textures, **settings)
        assert list(tmp_path.glob("x.*")) == []
        return message

    return said


@pytest.mark.parametrize("settings, message", [
    ({"latents": "bc1", "polish": 1}, "TexturesRecipe.polish: got 1 beside latents=bc1, need plain "
     "latents. Leave it out."),
    ({"weights": "albdo=2"}, "TexturesRecipe.weights: got 'albdo', need one of ['albedo', 'normal',"
     " 'roughness']. Leave it out."),
    ({"weights": "normal"}, "TexturesRecipe.weights: got 'normal', need MAP=NUMBER, 0 to 1000. "
     "Write for example normal=2."),
    ({"weights": "normal=-1"}, "TexturesRecipe.weights: got 'normal=-1', need MAP=NUMBER, 0 to "
     "1000. Write for example normal=2."),
    ({"weights": "normal=nan"}, "TexturesRecipe.weights: got 'normal=nan', need MAP=NUMBER, 0 to "
     "1000. Write for example normal=2."),
    ({"weights": "ao=1,ao=2"}, "TexturesRecipe.weights: got ao twice, need it once. Leave one "
     "out."),
    ({"weights": "albedo=0,normal=0,roughness=0"}, "TexturesRecipe.weights: got "
     "'albedo=0,normal=0,roughness=0', need a map that varies and weighs more than 0. Leave one "
     "out."),
    ({"mips": 7}, "mips: got 7 levels of 32 x 32, need 1 to 6. Leave it out for all of them."),
    ({"bpp": 0.2}, "TexturesRecipe.bpp: got 0.2, need 0.3 to 32. The default is 5.0."),
    ({"wrap": "mirror"}, "TexturesRecipe.wrap: got 'mirror', need one of ['repeat', 'clamp']."),
])  # fmt: skip
def test_settings(said, maps, settings, message):
    assert said(ConfigError, maps, **settings) == message


def test_too_many_channels(said, same_message):
    more = [material_map(f"m{i}", waves(8, 8, 3, seed=i)) for i in range(4)]
    same_message(said(ConfigError, small_set(8, 8, *more)), "rock", "Leave")


def test_a_fit_that_does_not_converge(said, maps, same_message):
    """Numbers that float16 does not have: there is nothing to write."""
    message = said(ConfigError, maps, rate=1.0, schedule="constant", beta2=0.0, steps=60,
                   epsilon=1e-15, hidden_layers=4)  # fmt: skip
    same_message(message, "rock", "latent_rate")


@pytest.mark.parametrize("settings, message", [
    ({"kernels": "fma"}, "kernels: got 'fma', need 'auto': the PyTorch engine has no choice of it. "
     "Leave kernels out."),
    ({"deterministic": True}, "deterministic: got True, need False: the PyTorch engine has no "
     "choice of it. Leave deterministic out."),
    ({"snapshots": "s"}, "snapshots: got 's', need None: fit textures has no choice of it. Leave "
     "snapshots out."),
])  # fmt: skip
def test_options_that_change_nothing(refusal, maps, tmp_path, settings, message):
    for engine in ({"engine": "torch"}, {"device": "cpu"}):
        options = FitOptions(**engine, **settings)
        assert refusal(ConfigError, fit_textures, maps, tmp_path / "x.nsh",
                       options=options) == message  # fmt: skip


def test_an_engine_that_is_not_there(refusal, maps):
    with pytest.raises((ConfigError, DeviceError)):
        fit_textures(maps, "x.nsh", options=FitOptions(engine="cpu"))


@pytest.mark.parametrize("given", [{"normal_convention": "opengl"}, {"maps": {"ao": "ao.png"}}])
def test_a_set_has_its_maps_already(refusal, maps, given):
    name = next(iter(given["maps"])) if "maps" in given else "normal_convention"
    assert refusal(ConfigError, fit_textures, maps, "x.nsh", **given) == (
        f"{name}: got it beside a MaterialSet, which has its maps already, need one of the two. "
        "Leave it out."
    )


def test_numbers_that_are_none(refusal, tmp_path):
    values = waves(8, 12, 1)
    values[3, 4] = np.inf
    assert refusal(PictureError, material_map, "height", values).startswith(
        "height: got NaN or infinity in 1 value, first at row 3, column 4, channel 0, need finite "
    )


@pytest.fixture
def checkpoint(fitted, maps, tmp_path):
    """Return what an interrupted fit has left."""
    with pytest.raises(FitInterrupted):
        fitted(maps, observer=lambda progress: signal.raise_signal(signal.SIGINT))
    return tmp_path / "x.checkpoint.nsh"


def test_checkpoints_are_gone_on_with_as_they_were_begun(
    refusal, fitted, maps, checkpoint, same_message
):
    for settings, named in [({"bpp": 10.0}, "bpp"), ({"hidden_width": 32}, "hidden-width"),
                            ({"mips": 2}, "mips"), ({"wrap": "clamp"}, "wrap")]:  # fmt: skip
        message = refusal(ConfigError, fitted, maps, resume=checkpoint, **settings)
        assert message.startswith(f"{checkpoint}: got ")
        assert message.endswith(f"as the fit was started with. Leave --{named} out.")
    said = refusal(ConfigError, fitted, maps, resume=checkpoint, byte_count=9000)
    same_message(said, checkpoint, "--bytes")
    said = refusal(ConfigError, fitted, small_set(32, 16), resume=checkpoint)
    same_message(said, checkpoint, "Resume")


def test_checkpoints_of_others_are_refused(refusal, fitted, maps, same_message):
    path = DATA / "image.checkpoint.nsh"
    same_message(refusal(AssetError, fitted, maps, resume=path), path, ".checkpoint")
