"""kinds/image/weights/rtxns: files of the SDK, by its header, in both host layouts."""

import re

import numpy as np
import pytest
from fixtures.foreign_networks import (
    encoded,
    layer_values,
    random_layers,
    rtxns_bytes,
    rtxns_json,
)

import neuralshade
from neuralshade.errors import AssetError, ConfigError

SAMPLE = (12, 64, 64, 64, 64, 3)  # of SimpleTraining
FREQUENCY = {"otype": "Frequency", "n_frequencies": 3}


def expected(weights, biases, at, encoding=FREQUENCY, activations=("LeakyReLU", "Sigmoid")):
    x = encoded(encoding, None, at.astype(np.float64))[0]
    return layer_values(weights, biases, x, *activations)


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("dtype", ["<f2", "<f4"])
def test_a_network_of_the_sample(tmp_path, noise, layout, dtype):
    kind = np.float16 if dtype == "<f2" else np.float32
    weights, biases = random_layers(SAMPLE, noise, kind)
    file = tmp_path / "net.ns.bin"
    file.write_bytes(rtxns_bytes(weights, biases, layout, dtype))
    asset = neuralshade.import_asset(file, tmp_path / "a.nsh")
    at = noise.random((300, 2), np.float32)
    np.testing.assert_allclose(asset.at(at), expected(weights, biases, at), atol=1e-5)
    assert asset.recipe.network_bits == (16 if dtype == "<f2" else 32)
    assert asset.header.own["source"] == "imported from net.ns.bin (RTXNS)"


def test_its_json_file(tmp_path, noise):
    weights, biases = random_layers((12, 32, 32, 3), noise)
    (tmp_path / "weights.json").write_text(rtxns_json(weights, biases))
    asset = neuralshade.import_asset(tmp_path / "weights.json", tmp_path / "a.nsh")
    at = noise.random((50, 2), np.float32)
    np.testing.assert_allclose(asset.at(at), expected(weights, biases, at), atol=1e-5)


def test_a_recipe_names_encoding_and_activations(tmp_path, noise):
    weights, biases = random_layers((2, 8, 4), noise)
    file = tmp_path / "net.bin"
    file.write_bytes(rtxns_bytes(weights, biases, dtype="<f4"))
    recipe = {"encoding": "identity", "activation": "tanh", "output_activation": "none"}
    asset = neuralshade.import_asset(file, tmp_path / "a.nsh", recipe=recipe)
    at = noise.random((50, 2), np.float32)
    wanted = expected(weights, biases, at, {"otype": "Identity"}, ("Tanh", "None"))
    np.testing.assert_allclose(asset.at(at), wanted, atol=1e-5)


@pytest.mark.parametrize("layout, name", [(2, "InferencingOptimal"), (3, "TrainingOptimal")])
def test_the_layout_of_one_gpu_is_refused(tmp_path, noise, refusal, layout, name):
    file = tmp_path / "net.bin"
    file.write_bytes(rtxns_bytes(*random_layers((12, 8, 3), noise), layout=layout))
    assert refusal(AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh") == (
        f"{file}: got matrix layout {name}, which one GPU's driver made, need RowMajor or "
        "ColumnMajor. Write the host layout, as the SDK's UpdateFromBufferToFile does."
    )
    assert not (tmp_path / "a.nsh").exists()


def patched(data, at, value):
    return data[:at] + value + data[at + len(value) :]


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda d: d[:100], "got 100 bytes, need at least 304"),
        (lambda d: d[:-1], "bytes of numbers, need"),
        (lambda d: d + b"\0", "bytes of numbers, need"),
        (lambda d: patched(d, 4, b"\xff\xff\xff\x7f"), "layers, need 1 to 8"),
        (lambda d: patched(d, 8, b"\xff\xff\xff\xff"), "need .* as its architecture says"),
        (lambda d: patched(d, 12, b"\0\0\0\0"), "neurons a hidden layer, need 8 to 256"),
        (lambda d: patched(d, 20, b"\x07\0\0\0"), "got precisions"),
        (lambda d: patched(d, 32 + 24, b"\xf0\xff\xff\xff"), "need it within"),
        (lambda d: patched(d, 304, b"\x00\x7e"), "got NaN or infinity"),
        (lambda d: patched(d, 288, b"\x09\0\0\0"), "got matrix layout 9"),
    ],
)  # fmt: skip
def test_damaged_headers_are_refused(tmp_path, noise, refusal, change, words):
    file = tmp_path / "net.bin"
    file.write_bytes(change(rtxns_bytes(*random_layers((12, 8, 3), noise))))
    message = refusal((AssetError, ConfigError), neuralshade.import_asset, file,
                      tmp_path / "a.nsh")  # fmt: skip
    assert message.startswith(f"{file}: ")
    assert re.search(words, message), message


def test_other_inputs_than_the_encoding_are_refused(tmp_path, noise, refusal, same_message):
    file = tmp_path / "disney.ns.bin"
    file.write_bytes(rtxns_bytes(*random_layers((30, 32, 4), noise)))
    message = refusal(AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh")
    same_message(message, file, "--recipe")
