"""kinds/image/weights/tiny_cuda_nn: equal to tiny-cuda-nn's documented mathematics."""

import json

import numpy as np
import pytest
import safetensors.numpy
from fixtures.foreign_networks import (
    ACTIVATIONS,
    msgpack,
    tiny_cuda_nn_params,
    tiny_cuda_nn_values,
)
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade

NETWORK = {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 2}
HASH = {"otype": "HashGrid", "n_levels": 5, "n_features_per_level": 2, "log2_hashmap_size": 7,
        "base_resolution": 4, "per_level_scale": 1.5}  # fmt: skip
ENCODINGS = {
    "hash": HASH,
    "hash of instant-ngp": HASH | {"otype": "Grid", "type": "Hash",
                                   "per_level_scale": 1.3819128800},
    "smooth": HASH | {"interpolation": "Smoothstep", "n_features_per_level": 4, "n_levels": 3},
    "one feature": HASH | {"n_features_per_level": 1, "n_levels": 3},
    "eight features": HASH | {"n_features_per_level": 8, "n_levels": 3, "hash": "CoherentPrime"},
    "one level": HASH | {"n_levels": 1, "base_resolution": 5},
    "dense": {"otype": "DenseGrid", "n_levels": 3, "n_features_per_level": 2,
              "base_resolution": 3, "per_level_scale": 2.0},
    "dense by type": {"otype": "Grid", "type": "Dense", "n_levels": 2, "base_resolution": 7,
                      "per_level_scale": 1.7, "log2_hashmap_size": 4},
    "identity": {"otype": "Identity"},
    "scaled identity": {"otype": "Identity", "scale": 2.5, "offset": -0.75},
    "frequency": {"otype": "Frequency", "n_frequencies": 5},
    "frequency that fills": {"otype": "Frequency", "n_frequencies": 4},
    "triangle waves": {"otype": "TriangleWave", "n_frequencies": 7},
    "blobs": {"otype": "OneBlob", "n_bins": 16},
    "few blobs": {"otype": "OneBlob", "n_bins": 2},
    "blobs without a type": {"n_bins": 4},
    "blob and wave": {"otype": "Composite", "nested": [
        {"otype": "OneBlob", "n_bins": 4, "n_dims_to_encode": 1},
        {"otype": "TriangleWave", "n_frequencies": 3, "n_dims_to_encode": 1}]},
    "composite": {"otype": "Composite", "nested": [
        {"otype": "Frequency", "n_frequencies": 3, "n_dims_to_encode": 1},
        {"otype": "Identity", "scale": 3.0, "n_dims_to_encode": 1}]},
    "both see all": {"otype": "Composite", "nested": [
        {"otype": "Identity", "n_dims_to_encode": 1, "dims_to_encode_begin": 1},
        HASH | {"n_features_per_level": 8, "n_levels": 2, "n_dims_to_encode": 2,
                "dims_to_encode_begin": 0},
        {"otype": "Frequency", "n_frequencies": 2, "n_dims_to_encode": 2,
         "dims_to_encode_begin": 0}]},
    "grid last": {"otype": "Composite", "nested": [
        {"otype": "Frequency", "n_frequencies": 3, "n_dims_to_encode": 2,
         "dims_to_encode_begin": 0},
        HASH | {"n_levels": 3, "n_dims_to_encode": 2, "dims_to_encode_begin": 0}]},
}  # fmt: skip


def positions(rng, count=400):
    at = rng.random((count, 2)).astype(np.float32)
    at[:6] = [(0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0.5), (0.25, 1)]
    return at


def written(folder, config, params):
    (folder / "mlp.json").write_text(json.dumps(config))
    safetensors.numpy.save_file({"params": params}, folder / "params.safetensors")
    return folder / "params.safetensors", folder / "mlp.json"


def check_equal(folder, config, rng, channels=3, dtype=np.float32, size=1.0, error=2e-5):
    params = tiny_cuda_nn_params(config, channels, rng, dtype) * dtype(size)
    file, said = written(folder, config, params)
    asset = neuralshade.import_asset(file, folder / "a.nsh", config=said, channels=channels)
    at = positions(rng)
    found = asset.at(at).reshape(len(at), -1)
    wanted = tiny_cuda_nn_values(config, channels, params, at.astype(np.float64))
    scale = max(1.0, np.abs(wanted).max())
    np.testing.assert_allclose(found / scale, wanted / scale, atol=error)
    return asset


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_encoding_equals_the_documented_one(tmp_path, noise, name):
    check_equal(tmp_path, {"encoding": ENCODINGS[name], "network": NETWORK}, noise)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_activation(tmp_path, noise, activation):
    network = NETWORK | {"activation": activation, "output_activation": activation}
    check_equal(tmp_path, {"encoding": HASH, "network": network}, noise, size=0.3)  # of exp(exp)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("layers", [0, 1, 3])
def test_every_count_of_layers_and_channels(tmp_path, noise, channels, layers):
    network = {"otype": "CutlassMLP", "n_neurons": 24, "n_hidden_layers": layers}
    asset = check_equal(tmp_path, {"encoding": HASH, "network": network}, noise, channels)
    assert asset.picture["channels"] == channels


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_any_grid(data, tmp_path_factory):
    base = data.draw(st.integers(1, 9), "base_resolution")
    grid = {"otype": "HashGrid", "base_resolution": base,
            "n_levels": data.draw(st.integers(1, 6), "n_levels"),
            "n_features_per_level": data.draw(st.sampled_from([1, 2, 4, 8])),
            "log2_hashmap_size": data.draw(st.integers(4, 9)),
            "per_level_scale": data.draw(st.floats(1, 2.2)),
            "interpolation": data.draw(st.sampled_from(["Linear", "Smoothstep"]))}  # fmt: skip
    network = {"otype": "FullyFusedMLP", "n_neurons": data.draw(st.sampled_from([16, 32])),
               "n_hidden_layers": data.draw(st.integers(1, 3))}  # fmt: skip
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    check_equal(tmp_path_factory.mktemp("any"), {"encoding": grid, "network": network}, rng,
                error=2e-4)  # float32 positions in up to 460 cells  # fmt: skip


def test_halves_stay_halves(tmp_path, noise):
    asset = check_equal(tmp_path, {"encoding": HASH, "network": NETWORK}, noise, dtype=np.float16)
    assert asset.recipe.grid_bits == 16
    assert {str(values.dtype) for values in asset.tensors.values()} == {"float16"}


def test_a_bias_of_halves_is_kept_in_full(tmp_path, noise):
    config = {"encoding": {"otype": "Frequency", "n_frequencies": 3}, "network": NETWORK}
    asset = check_equal(tmp_path, config, noise, dtype=np.float16)
    assert asset.recipe.bias and asset.recipe.network_bits == 32


def snapshots(config, params):
    held = {"n_params": len(params), "params_type": "float" if params.itemsize == 4 else "__half",
            "params_binary": params.tobytes()}  # fmt: skip
    listed = held | {"params_binary": {"bytes": list(params.tobytes()), "subtype": None}}
    return {"t.msgpack": msgpack(held), "t.json": json.dumps(listed).encode(),
            "ngp.msgpack": msgpack({**config, "snapshot": held | {"mode": "image"}})}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_snapshots_equal_their_parameters(tmp_path, noise, dtype):
    config = {"encoding": HASH, "network": NETWORK}
    params = tiny_cuda_nn_params(config, 3, noise, dtype)
    file, said = written(tmp_path, config, params)
    first = neuralshade.import_asset(file, tmp_path / "a.nsh", config=said)
    for name, data in snapshots(config, params).items():
        (tmp_path / name).write_bytes(data)
        own = None if name.startswith("ngp") else said
        again = neuralshade.import_asset(tmp_path / name, tmp_path / "b.nsh", config=own)
        assert all(np.array_equal(again.tensors[n], first.tensors[n]) for n in first.tensors)


def test_a_compressed_snapshot(tmp_path, noise):
    import gzip

    config = {"encoding": HASH, "network": NETWORK, "n_output_dims": 3}
    params = tiny_cuda_nn_params(config, 3, noise)
    held = {"n_params": len(params), "params_type": "float", "params_binary": params.tobytes()}
    (tmp_path / "a.ingp").write_bytes(gzip.compress(msgpack({**config, "snapshot": held})))
    asset = neuralshade.import_asset(tmp_path / "a.ingp", tmp_path / "a.nsh")
    assert asset.numbers > 0


@pytest.mark.parametrize("suffix", ["npz", "npy", "pt"])
def test_other_files_of_the_vector(tmp_path, noise, suffix):
    import torch

    config = {"encoding": HASH, "network": NETWORK, "n_output_dims": 3}
    params = tiny_cuda_nn_params(config, 3, noise)
    file, said = written(tmp_path, config, params)
    first = neuralshade.import_asset(file, tmp_path / "a.nsh", config=said)
    other = tmp_path / f"p.{suffix}"
    if suffix == "npz":
        np.savez_compressed(other, params=params)
    elif suffix == "npy":
        np.save(other, params)
    else:
        torch.save({"params": torch.from_numpy(params)}, other)
    again = neuralshade.import_asset(other, tmp_path / "b.nsh", config=said)
    assert all(np.array_equal(again.tensors[n], first.tensors[n]) for n in first.tensors)
