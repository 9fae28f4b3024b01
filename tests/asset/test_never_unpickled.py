"""No file is ever unpickled, whatever reads it. tests/test_foreign_code.py looks at the source."""

import pathlib
import pickle

import numpy as np
import pytest
import torch

from neuralshade.asset import checkpoint
from neuralshade.asset.asset import read_asset
from neuralshade.errors import AssetError


def load_checkpoint(path):
    return checkpoint.load_checkpoint(path, "image")


class Bomb:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return (pathlib.Path.touch, (self.trace,))


def write_pickle(path, bomb):
    path.write_bytes(pickle.dumps(bomb))


def write_torch(path, bomb):
    torch.save({"weight": bomb}, path)


def write_numpy(path, bomb):
    with path.open("wb") as file:
        np.save(file, np.array([bomb], dtype=object), allow_pickle=True)


@pytest.mark.parametrize("write", [write_pickle, write_torch, write_numpy])
@pytest.mark.parametrize("load", [read_asset, load_checkpoint])
def test_pickles_are_refused_unread(tmp_path, write, load, same_message):
    path, trace = tmp_path / "x.nsh", tmp_path / "trace"
    write(path, Bomb(trace))
    with pytest.raises(AssetError) as caught:
        load(path)
    same_message(str(caught.value), path, "Make")
    assert not trace.exists()
