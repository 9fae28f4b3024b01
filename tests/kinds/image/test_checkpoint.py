"""kinds/image/fit: a checkpoint whose state is not what its recipe needs is refused."""

import math
import pathlib

import pytest
import torch

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.checkpoint import load_checkpoint, save_checkpoint
from neuralshade.errors import AssetError

DATA = pathlib.Path(__file__).parents[2] / "data"
BROKEN = {
    "a dtype": {"skipped": torch.tensor(1.0)},
    "a shape that would be spread": {"average.0": torch.zeros(1, 1, 1)},
    "steps below 0": {"optimizer.0.0.step": torch.tensor(-1.0)},
    "squares below 0": {"optimizer.0.0.exp_avg_sq": torch.full((8, 4), -1.0)},
    "skipped below 0": {"skipped": torch.tensor(-(2**63))},
    "threads": {"threads": torch.tensor(2**31)},
    "no random numbers": {"rng": torch.zeros(5056, dtype=torch.uint8)},
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_a_state_of_other_numbers_is_refused(tmp_path, broken, same_message):
    kept, path = load_checkpoint(DATA / "image.checkpoint.nsh", "image"), tmp_path / "x.nsh"
    kept.state.update(BROKEN[broken])
    save_checkpoint(path, "image", kept)
    with pytest.raises(AssetError) as caught:
        neuralshade.fit_image(DATA / "photo.png", tmp_path / "y.nsh", options=FitOptions(
            resume=path, engine="torch", device="cpu"))  # fmt: skip
    same_message(str(caught.value), path, "Start")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_state_that_is_no_number_is_refused(tmp_path, value, same_message):
    kept, path = load_checkpoint(DATA / "image.checkpoint.nsh", "image"), tmp_path / "x.nsh"
    kept.state["average.1"][0, 0, 0] = value
    save_checkpoint(path, "image", kept)
    with pytest.raises(AssetError) as caught:
        load_checkpoint(path, "image")
    same_message(str(caught.value), path, "Start")


def test_infinite_squares_of_gradients_are_well(tmp_path):
    """What they belong to stays as it is; the fit goes on."""
    kept, path = load_checkpoint(DATA / "image.checkpoint.nsh", "image"), tmp_path / "x.nsh"
    kept.state["optimizer.0.0.exp_avg_sq"][0, 0] = math.inf
    save_checkpoint(path, "image", kept)
    assert load_checkpoint(path, "image").state["optimizer.0.0.exp_avg_sq"].isinf().sum() == 1


def test_a_recipe_beyond_the_checkpoint_is_refused_before_it_is_built(tmp_path):
    """A file of 15 kB that asks for 64 GB of grids."""
    kept, path = load_checkpoint(DATA / "image.checkpoint.nsh", "image"), tmp_path / "x.nsh"
    kept.recipe["encoding"] = "dense_grid:levels=1,features=4,coarsest=16,width=65536,height=65536"
    save_checkpoint(path, "image", kept)
    with pytest.raises(AssetError) as caught:
        neuralshade.fit_image(DATA / "photo.png", tmp_path / "y.nsh",
                              options=FitOptions(resume=path))  # fmt: skip
    assert "got a state that does not fit its recipe" in str(caught.value)
