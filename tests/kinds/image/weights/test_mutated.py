"""Files of every format with bytes changed: imported, or refused in one line."""

import json
import warnings

import numpy as np
import pytest
import safetensors.numpy
import torch
from fixtures.foreign_networks import (
    msgpack,
    random_layers,
    rtxns_bytes,
    rtxns_json,
    tiny_cuda_nn_params,
)

import neuralshade
from neuralshade.errors import NeuralShadeError

CONFIG = {
    "encoding": {"otype": "HashGrid", "n_levels": 2, "base_resolution": 2, "log2_hashmap_size": 4},
    "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
    "n_output_dims": 3,
}
ROUNDS = 60


def files(folder, rng):
    """Return name, bytes and arguments of a good file of each format."""
    params = tiny_cuda_nn_params(CONFIG, 3, rng)
    layers = random_layers((12, 8, 3), rng)
    held = {"n_params": len(params), "params_type": "float", "params_binary": params.tobytes()}
    said = {"config": folder / "mlp.json"}
    np.save(folder / "whole.npy", params)
    np.savez_compressed(folder / "whole.npz", params=params)
    torch.save({"params": torch.from_numpy(params)}, folder / "whole.pt")
    return {
        "a.safetensors": (safetensors.numpy.save({"params": params}), said),
        "a.npy": ((folder / "whole.npy").read_bytes(), said),
        "a.npz": ((folder / "whole.npz").read_bytes(), said),
        "a.pt": ((folder / "whole.pt").read_bytes(), said),
        "a.msgpack": (msgpack({**CONFIG, "snapshot": held}), {}),
        "a.ns.bin": (rtxns_bytes(*layers), {}),
        "a.json": (rtxns_json(*layers).encode(), {}),
    }


def mutated(data, rng):
    """Return bytes of which some, mostly of the beginning or the end, are others, or missing."""
    changed = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        reach = min(len(changed), 400)
        place = int(rng.integers(reach))
        place = place if rng.random() < 0.7 else len(changed) - 1 - place
        changed[place] = int(rng.choice([0, 255, 127, 128, rng.integers(256)]))
    cut = rng.random()
    if cut < 0.2:
        return bytes(changed[: int(rng.integers(len(changed)))])
    return bytes(changed) + (b"\0" * 9 if cut < 0.3 else b"")


@pytest.mark.parametrize(
    "name", ["a.safetensors", "a.npy", "a.npz", "a.pt", "a.msgpack", "a.ns.bin", "a.json"]
)
def test_changed_bytes_are_refused_or_imported(tmp_path, noise, name):
    (tmp_path / "mlp.json").write_text(json.dumps(CONFIG))
    whole, given = files(tmp_path, noise)[name]
    (tmp_path / name).write_bytes(whole)
    neuralshade.import_asset(tmp_path / name, tmp_path / "whole.nsh", **given)
    refused = []
    for _ in range(ROUNDS):
        (tmp_path / name).write_bytes(mutated(whole, noise))
        output = tmp_path / "b.nsh"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of zip files with a name twice
                neuralshade.import_asset(tmp_path / name, output, **given)
        except NeuralShadeError as error:
            refused.append((str(error), output.exists()))
        output.unlink(missing_ok=True)
    assert refused
    assert not [told for told, there in refused if "\n" in told or there]
