"""asset/checkpoint: a fit on disk comes back whole."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.errors import AssetError

PARTS = {
    "recipe": {"steps": 5},
    "source": {"name": "a", "digest": "0"},
    "progress": {"step": 2, "curve": []},
}


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**63 - 1), shape=st.lists(st.integers(0, 4), max_size=3))
def test_round_trip(tmp_path_factory, seed, shape):
    rng = torch.Generator().manual_seed(seed)
    state = {
        "rng": rng.get_state(),  # uint8
        "skipped": torch.tensor(3),  # int64, no dimension
        "field.weight": torch.randn(shape, generator=rng),
        "transposed": torch.randn(2, 3, generator=rng).t(),
    }
    path = tmp_path_factory.getbasetemp() / "a.checkpoint.nsh"
    save_checkpoint(path, "image", Checkpoint(**PARTS, state=state))
    back = load_checkpoint(path, "image")
    assert {"recipe": back.recipe, "source": back.source, "progress": back.progress} == PARTS
    assert back.state.keys() == state.keys()
    for name, value in state.items():
        assert back.state[name].dtype == value.dtype and torch.equal(back.state[name], value)


def test_state_can_be_trained_on(tmp_path):
    path = tmp_path / "a.checkpoint.nsh"
    save_checkpoint(path, "image", Checkpoint(**PARTS, state={"p": torch.ones(3)}))
    load_checkpoint(path, "image").state["p"].add_(
        1.0
    )  # a read-only view would warn or end the process
    assert torch.equal(load_checkpoint(path, "image").state["p"], torch.ones(3))


def test_asset_refused_as_checkpoint(asset_path, same_message):
    with pytest.raises(AssetError) as caught:
        load_checkpoint(asset_path, "image")
    same_message(str(caught.value), asset_path, ".checkpoint")


@pytest.mark.parametrize("name", ["recipe", "picture", "progress"])
def test_incomplete_header_refused(tmp_path, name):
    """The source goes by the name of a picture in files, as it did before."""
    parts = {"picture" if part == "source" else part: value for part, value in PARTS.items()}
    content = {"kind": "image-checkpoint", **parts}
    del content[name]
    path = tmp_path / "a.nsh"
    write_asset_file(path, AssetFile(content, {}))
    with pytest.raises(AssetError) as caught:
        load_checkpoint(path, "image")
    assert str(caught.value) == (
        f"{path}: got no '{name}' in the header, need a whole checkpoint. Start the fit again."
    )
