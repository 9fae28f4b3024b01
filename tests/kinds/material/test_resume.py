"""kinds/material: an interrupted fit goes on, with the engine that began it."""

import signal

import pytest
from fixtures.small_material import PAINT

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.errors import ConfigError

FEW = {"size": 8, "batch": 256, "hidden_width": 16, "features": 4, "steps": 40}


@pytest.fixture
def interrupted(tmp_path, share_device, monkeypatch):
    """Give what fits with an engine until a share is done: the module and the checkpoint."""
    share_device(monkeypatch)
    module = tmp_path / "paint.slang"
    module.write_text(PAINT)

    def fit(engine, share):
        with pytest.raises(FitInterrupted):
            neuralshade.fit_material(
                module, tmp_path / "x.nsh", **FEW, options=FitOptions(engine=engine),
                observer=lambda p: p.share >= share and signal.raise_signal(signal.SIGINT),
            )  # fmt: skip
        return module, tmp_path / "x.checkpoint.nsh"

    return fit


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])  # the encoder; the map; levels
def test_it_goes_on_to_its_end(interrupted, tmp_path, share):
    module, checkpoint = interrupted("torch", share)
    options = FitOptions(engine="torch", resume=checkpoint)
    result = neuralshade.fit_material(module, tmp_path / "x.nsh", options=options)
    assert result.steps == 40 and neuralshade.info(tmp_path / "x.nsh")["recipe"]["size"] == 8


@pytest.mark.parametrize("began, other, share", [
    ("torch", "gpu", 0.0), pytest.param("gpu", "torch", 0.0, marks=pytest.mark.slow),
    pytest.param("torch", "gpu", 0.6, marks=pytest.mark.slow),
    pytest.param("gpu", "torch", 0.6, marks=pytest.mark.slow),  # compiles kernels
])  # fmt: skip
def test_with_the_other_engine_it_is_told_which_one_to_take(
    interrupted, tmp_path, began, other, share
):
    module, checkpoint = interrupted(began, share)
    with pytest.raises(ConfigError) as caught:
        neuralshade.fit_material(module, tmp_path / "y.nsh",
                                 options=FitOptions(engine=other, resume=checkpoint))  # fmt: skip
    assert str(caught.value) == (
        f"{checkpoint}: got a fit of engine {began}, need one of the engine that goes on. "
        f"Add --engine {began}."
    )
    assert not (tmp_path / "y.nsh").exists()


@pytest.mark.parametrize("asked, flag", [({"preset": "high"}, "preset"),
                                         ({"hidden_width": 32}, "hidden-width")])  # fmt: skip
def test_another_decoder_is_refused_as_what_asked_for_it(interrupted, tmp_path, asked, flag):
    module, checkpoint = interrupted("torch", 0.0)
    with pytest.raises(ConfigError, match=r"need \d+ as the fit was started with") as caught:
        neuralshade.fit_material(module, tmp_path / "y.nsh", **asked,
                                 options=FitOptions(engine="torch", resume=checkpoint))  # fmt: skip
    assert str(caught.value).endswith(f"Leave --{flag} out.")
