"""No file is ever unpickled: neither by this package nor by what it calls."""

import ast
import pathlib
import pickle

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.asset import checkpoint
from neuralshade.asset.asset import read_asset
from neuralshade.errors import AssetError

PACKAGE = pathlib.Path(neuralshade.__file__).parent
PICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
LOADERS = {("torch", "load"), ("torch.jit", "load"), ("torch.hub", "load"), ("np", "load"),
           ("numpy", "load")}  # fmt: skip


def offenses(source):
    """Return what in a module's source unpickles, or could."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        else:
            continue
        loaders = {".".join(loader) for loader in LOADERS}
        found += [n for n in names if n.split(".")[0] in PICKLERS or n in loaders]
    return found


@pytest.mark.parametrize("source", ["import pickle", "from pickle import loads", "import os, dill",
                                    "torch.load(x)", "from torch import load",
                                    "np.load(x)"])  # fmt: skip
def test_offenses_are_seen(source):
    assert offenses(source)


def test_no_module_unpickles():
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) > 50
    assert {p.name: offenses(p.read_text()) for p in modules if offenses(p.read_text())} == {}


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
def test_pickles_are_refused_unread(tmp_path, write, load):
    path, trace = tmp_path / "x.nsh", tmp_path / "trace"
    write(path, Bomb(trace))
    with pytest.raises(AssetError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: got a file that is no safetensors file, need a neuralshade asset. "
        "Make one with neuralshade fit."
    )
    assert not trace.exists()
