"""kinds/image/starting_asset: a fit goes on from a finished asset, and says what that means."""

import re

import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import ConfigError


@pytest.fixture
def done(tmp_path, save_smooth, few):
    save_smooth()
    neuralshade.fit_image(tmp_path / "a.png", tmp_path / "done.nsh", **few)
    return tmp_path / "done.nsh"


def test_a_finished_asset_is_trained_further(done, tmp_path, caplog):
    """It begins with the asset's numbers: after one step it is hardly worse than they are."""
    before = neuralshade.load(done)
    options, seen = FitOptions(resume=done, engine="torch"), []
    after = neuralshade.fit_image(tmp_path / "a.png", tmp_path / "more.nsh", options=options,
                                  steps=200, rate=1e-4, grid_rate=1e-4,
                                  observer=lambda p: seen.append(p.loss))  # fmt: skip
    assert after.psnr_db > before.header.quality["psnr_db"]
    assert after.steps == 200 and seen[0] < 2 * 10 ** (-before.header.quality["psnr_db"] / 10)
    assert caplog.messages[0] == (f"{done}: a finished asset, not a checkpoint: its numbers are "
                                  "trained further with fresh moments.")  # fmt: skip
    kept = neuralshade.load(tmp_path / "more.nsh").header.recipe
    assert {n: kept[n] for n in ("encoding", "hidden_width")} == {
        n: before.header.recipe[n] for n in ("encoding", "hidden_width")
    }
    assert (kept["steps"], kept["rate"], kept["until"]) == (200, 1e-4, "end")


def test_a_fit_that_comes_to_less_than_its_asset_says_so(done, tmp_path, save_smooth, caplog):
    before = neuralshade.load(done).header.quality["psnr_db"]
    options = FitOptions(resume=done, engine="torch")
    far = {"steps": 2, "rate": 0.5, "grid_rate": 0.5}
    after = neuralshade.fit_image(tmp_path / "a.png", tmp_path / "b.nsh", options=options, **far)
    assert after.psnr_db < before
    assert caplog.messages[-1] == (
        f"fit: got {after.psnr_db:.2f} dB, where {done}, which it went on from, has {before:.2f}. "
        "Keep that. Give it more --steps."
    )
    assert after.warnings == (caplog.messages[0], caplog.messages[-1])


def test_an_asset_of_another_picture_is_told_of(done, tmp_path, caplog):
    options, few = FitOptions(resume=done, engine="torch"), {"steps": 2}
    before = neuralshade.load(done).header.quality["psnr_db"]
    other = neuralshade.picture_from_array(
        255 - neuralshade.load_picture(tmp_path / "a.png").pixels
    )
    after = neuralshade.fit_image(other, tmp_path / "c.nsh", options=options, **few)
    assert not any("went on from" in message for message in caplog.messages)
    begun = next(line for line in after.warnings if "another picture" in line)
    assert re.fullmatch(
        rf"{done}: an asset of another picture, 'a\.png': the fit of 'array' starts at "
        rf"\d\.\d\d dB; of its own picture the asset has {before:.2f}\.",
        begun,
    )


@pytest.mark.parametrize("asked, message", [
    ({"hidden_width": 16}, "hidden_width=16, need 8 as the asset has it. Leave --hidden-width "
     "out."),
    ({"preset": "tiny"}, "preset='tiny', need none, as an asset has its recipe. Leave --preset "
     "out."),
])  # fmt: skip
def test_what_an_asset_is_cannot_be_changed(done, tmp_path, asked, message):
    with pytest.raises(ConfigError) as caught:
        neuralshade.fit_image(tmp_path / "a.png", tmp_path / "more.nsh", **asked,
                              options=FitOptions(resume=done))  # fmt: skip
    assert str(caught.value) == f"{done}: got {message}"
