"""kinds/image/weights/tiny_cuda_nn: what no image asset holds is refused by name."""

import json

import numpy as np
import pytest
import safetensors.numpy
from fixtures.foreign_networks import msgpack, tiny_cuda_nn_params

import neuralshade
from neuralshade.errors import AssetError, ConfigError

NETWORK = {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1}
GRID = {"otype": "HashGrid", "n_levels": 2, "base_resolution": 4, "log2_hashmap_size": 5}


def said(folder, **sections):
    config = {"encoding": GRID, "network": NETWORK, "n_output_dims": 3} | sections
    (folder / "mlp.json").write_text(json.dumps(config))
    return folder / "mlp.json"


@pytest.fixture
def file(tmp_path):
    np.save(tmp_path / "p.npy", np.zeros(8, np.float32))
    return tmp_path / "p.npy"


@pytest.mark.parametrize(
    "encoding, message",
    [
        ({"otype": "OneBlob", "n_bins": 12}, "n_bins: got 12, need a power of 2 up to 1024, as "
         "tiny-cuda-nn has them. Check the config."),
        ({"otype": "TriangleWave", "n_frequencies": 25}, "n_frequencies: got 25, need 1 to 24: an "
         "image asset holds no others. Train with such a one."),
        ({"otype": "SphericalHarmonics"}, "otype: got 'SphericalHarmonics', need one of {held}: it "
         "is of directions. Train with one of those."),
        ({"otype": "TiledGrid"}, "otype: got 'TiledGrid', need one of {held}: tiled grids are not "
         "held. Train with one of those."),
        (GRID | {"otype": "Grid", "type": "Tiled"},
         "type: got 'Tiled', need one of ['Hash', 'Dense']."),
        (GRID | {"hash": "Prime"}, "hash: got 'Prime', need 'CoherentPrime': nothing else is "
         "supported here. Train with it."),
        (GRID | {"interpolation": "Nearest"},
         "interpolation: got 'Nearest', need one of ['Linear', 'Smoothstep']."),
        (GRID | {"n_features_per_level": 3}, "n_features_per_level: got 3, need one of "
         "[1, 2, 4, 8], as tiny-cuda-nn has them. Check the config."),
        (GRID | {"n_levels": 33}, "n_levels: got 33, need 1 to 32: an image asset holds no others. "
         "Train with such a one."),
        (GRID | {"log2_hashmap_size": 30}, "log2_hashmap_size: got 30, need 4 to 26: an image "
         "asset holds no others. Train with such a one."),
        (GRID | {"n_levels": 32}, "per_level_scale: got 2.0, need 1 to 1.49552 for 32 levels from "
         "4. Train a smaller grid."),
        (GRID | {"otype": "DenseGrid", "n_levels": 9, "per_level_scale": 4.0},
         "per_level_scale: got 262,144 vertices a side at the last level of a dense grid, need at "
         "most 8,192. Train a smaller grid."),
        (GRID | {"n_level": 3}, "n_level: unknown or unsupported key, need one of"),
        ({"otype": "Composite", "nested": [{"otype": "Identity", "n_dims_to_encode": 1},
                                           GRID | {"n_dims_to_encode": 1}]},
         "nested[1].n_dims_to_encode: got 1 for a grid, need 2: an image asset has no grids of one "
         "coordinate. Train with a grid of both."),
        ({"otype": "Composite", "nested": [{"otype": "Composite", "nested": [GRID]}]},
         "nested[0].otype: got 'Composite', need one of"),
        ({"otype": "Composite", "reduction": "Sum", "nested": [GRID]},
         "reduction: got 'Sum', need 'Concatenation'"),
    ],
)  # fmt: skip
def test_encodings(tmp_path, refusal, file, encoding, message):
    got = refusal(ConfigError, neuralshade.import_asset, file, tmp_path / "a.nsh",
                  config=said(tmp_path, encoding=encoding))  # fmt: skip
    held = ("['Composite', 'Identity', 'Frequency', 'TriangleWave', 'OneBlob', 'Grid', "
            "'HashGrid', 'DenseGrid']")  # fmt: skip
    assert got.startswith("config.encoding." + message.format(held=held))


@pytest.mark.parametrize(
    "sections, message",
    [
        ({"n_input_dims": 3}, "config.n_input_dims: got 3, need 2: an image asset is a function of "
         "(u, v). Train a network of two inputs."),
        ({"n_output_dims": 16}, "config.n_output_dims: got 16 outputs, need 1 to 4: the channels "
         "of a picture. Train a network for a picture."),
        ({"network": NETWORK | {"activation": "Softplus"}}, "config.network.activation: got "
         "'Softplus', need one of ['None', 'ReLU', 'LeakyReLU', 'Tanh', 'Sigmoid', 'Exponential', "
         "'SiLU', 'Sine']: theirs is another function than any here. Train with one of those."),
        ({"network": NETWORK | {"n_hidden_layers": 9}}, "config.network: got 9 hidden layers, need "
         "0 to 8: an image asset holds no more. Train a smaller network."),
        ({"network": NETWORK | {"n_neurons": 512}}, "config.network: got 512 neurons a hidden "
         "layer, need 8 to 256: an image asset holds no others. Train another network."),
        ({"network": NETWORK | {"neurons": 16}}, "config.network.neurons: unknown or unsupported "
         "key"),
        ({"rgb_network": NETWORK}, "config.rgb_network: unknown or unsupported key"),
    ],
)  # fmt: skip
def test_networks(tmp_path, refusal, file, sections, message):
    got = refusal((ConfigError, AssetError), neuralshade.import_asset, file, tmp_path / "a.nsh",
                  config=said(tmp_path, **sections))  # fmt: skip
    assert got.startswith(message)


def test_another_count_of_numbers(tmp_path, refusal, file, same_message):
    message = refusal(
        AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh", config=said(tmp_path)
    )
    same_message(message, file, "Give")
    assert not (tmp_path / "a.nsh").exists()


def test_tensors_without_the_vector(tmp_path, refusal, same_message):
    two = {"a": np.zeros(3, np.float32), "b": np.zeros((2, 2), np.float32)}
    safetensors.numpy.save_file(two, tmp_path / "p.safetensors")
    call = neuralshade.import_asset, tmp_path / "p.safetensors", tmp_path / "a.nsh"
    config = said(tmp_path)
    same_message(refusal(AssetError, *call, config=config), tmp_path / "p.safetensors", "--tensor")
    assert ", need 'c'. Name" in refusal(AssetError, *call, config=config, tensor="c")
    assert "got 3 numbers" in refusal(AssetError, *call, config=config, tensor="a")


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("a.json", {"encoding": {}}, "got a configuration without parameters, need a snapshot of "
         "tiny-cuda-nn. Give the file of the parameters, and this one as --config."),
        ("a.msgpack", {"x": 1}, "got no params_binary, need a snapshot of tiny-cuda-nn."),
        ("a.msgpack", {"params_binary": b"123", "params_type": "float"},
         "got b'123' for params_binary, need the bytes of whole numbers. Save it again."),
        ("a.msgpack", {"params_binary": b"1234", "params_type": "double"},
         "got params_type 'double', need one of ['float', '__half']. Save it again."),
        ("a.msgpack", {"params_binary": b"1234", "n_params": 9},
         "got 2 numbers where n_params is 9, need as many. Save it again."),
        ("a.msgpack", {"params_binary": b"\x00\x7e"}, "got NaN or infinity in params_binary, need "
         "finite numbers. Train it again."),
        ("a.json", {"params_binary": {"bytes": [1, 256]}}, "got bytes that no reader takes ("),
        ("a.json", {"params_binary": [1, 2]}, "got [1, 2] for params_binary, need the bytes"),
    ],
)  # fmt: skip
def test_snapshots(tmp_path, refusal, name, content, message):
    file = tmp_path / name
    file.write_bytes(json.dumps(content).encode() if name.endswith("json") else msgpack(content))
    got = refusal(AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh",
                  config=said(tmp_path))  # fmt: skip
    assert got.startswith(f"{file}: {message}")


@pytest.mark.parametrize("data", [b"", b"\xc1", b"PK\x03\x04", b"\x1f\x8b\x08", b"{", b"\x78\x9c"])
def test_files_that_are_nothing(tmp_path, refusal, data):
    (tmp_path / "a.bin").write_bytes(data)
    got = refusal(AssetError, neuralshade.import_asset, tmp_path / "a.bin", tmp_path / "a.nsh",
                  config=said(tmp_path))  # fmt: skip
    assert "need safetensors, npz, npy or pt by its suffix, an RTXNS network, or a snapshot" in got


def test_no_config(tmp_path, refusal, file, same_message):
    message = refusal(ConfigError, neuralshade.import_asset, file, tmp_path / "a.nsh")
    same_message(message, "config", "--config")


def test_outputs_that_are_not_stated_are_a_note(tmp_path, noise, caplog):
    config = {"encoding": GRID, "network": NETWORK}
    np.save(tmp_path / "p.npy", tiny_cuda_nn_params(config, 3, noise))
    (tmp_path / "mlp.json").write_text(json.dumps(config))
    neuralshade.import_asset(tmp_path / "p.npy", tmp_path / "a.nsh", config=tmp_path / "mlp.json")
    assert "config.n_output_dims: got none, taken as 3" in caplog.text
