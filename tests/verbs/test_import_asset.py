"""verbs/import_asset: the asset of a foreign network in every other verb."""

import json

import numpy as np
import pytest
import safetensors.numpy
from fixtures.foreign_networks import random_layers, rtxns_bytes, tiny_cuda_nn_params

import neuralshade
from neuralshade.errors import AssetError, ConfigError, OutputError

CONFIG = {
    "encoding": {"otype": "HashGrid", "n_levels": 3, "base_resolution": 4, "log2_hashmap_size": 6,
                 "per_level_scale": 1.5},
    "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
    "n_output_dims": 3,
}  # fmt: skip


@pytest.fixture
def given(tmp_path, noise):
    """Return the arguments of a small network of tiny-cuda-nn."""
    params = tiny_cuda_nn_params(CONFIG, 3, noise) * np.float32(0.3)
    safetensors.numpy.save_file({"params": params}, tmp_path / "params.safetensors")
    (tmp_path / "mlp.json").write_text(json.dumps(CONFIG))
    return {"file": tmp_path / "params.safetensors", "config": tmp_path / "mlp.json"}


@pytest.fixture
def asset(tmp_path, given):
    return neuralshade.import_asset(**given, output=tmp_path / "a.nsh", size=(24, 16))


def test_what_it_says_of_itself(asset):
    facts = neuralshade.info(asset)
    assert facts["source"] == "imported from params.safetensors (tiny-cuda-nn)"
    assert facts["quality"] == {}
    assert facts["training"] == {"steps": 0, "seconds": 0.0, "curve": []}
    told = asset.summary()
    assert told["source"] == facts["source"]
    assert told["quality"] == "not measured; evaluate compares it with a picture"


def test_it_is_rendered_evaluated_and_reported(asset, tmp_path):
    said = []
    drawn = neuralshade.render(asset, tmp_path / "a.png")
    assert drawn.shape == (16, 24, 3)
    rows = neuralshade.evaluate(asset, tmp_path / "a.png", notice=said.append)
    assert rows[0]["psnr_db"] > 40
    assert not said  # it was fitted to no picture that could be another one
    neuralshade.report(asset, tmp_path / "a.png", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "imported from params.safetensors" in page
    assert "0 steps" not in page


def test_it_is_exported_with_its_source(asset, tmp_path):
    result = neuralshade.export(asset, "hlsl,torch", tmp_path / "out")
    text = (tmp_path / "out/a.hlsl").read_text()
    assert "// source: imported from params.safetensors (tiny-cuda-nn)" in text
    assert "// license: that of the network that was imported" in text
    assert "PSNR" not in text
    assert len(result.files) == 6


def test_a_live_page_shows_it(asset):
    assert asset.scene().name


def test_it_can_be_trained_further(asset, tmp_path, caplog):
    picture = tmp_path / "p.png"
    neuralshade.render(asset, picture)
    result = neuralshade.fit_image(picture, tmp_path / "b.nsh", options=neuralshade.FitOptions(
        engine="torch", resume=asset.path), steps=3)  # fmt: skip
    assert result.psnr_db > 20
    assert "imported from params.safetensors (tiny-cuda-nn); the fit of" in caplog.text


def test_equal_bytes_each_time(given, asset, tmp_path):
    neuralshade.import_asset(**given, output=tmp_path / "b.nsh", size=(24, 16))
    assert (tmp_path / "b.nsh").read_bytes() == (tmp_path / "a.nsh").read_bytes()


def test_a_config_may_be_a_dict(given, asset, tmp_path, refusal):
    call = neuralshade.import_asset, given["file"], tmp_path / "b.nsh"
    call[0](*call[1:], config=CONFIG, size=(24, 16))
    assert (tmp_path / "b.nsh").read_bytes() == (tmp_path / "a.nsh").read_bytes()
    assert refusal(ConfigError, *call, config=3).startswith("config: got int, need a JSON object")
    assert refusal(ConfigError, *call, config=[CONFIG]).startswith("config: got list, need")


def test_the_default_name_lies_in_the_working_folder(tmp_path, noise, monkeypatch):
    (tmp_path / "net.ns.bin").write_bytes(rtxns_bytes(*random_layers((12, 8, 3), noise)))
    monkeypatch.chdir(tmp_path)
    assert neuralshade.import_asset("net.ns.bin").path == "net.nsh"


@pytest.mark.parametrize("name", ["params.safetensors", "mlp.json"])
def test_inputs_are_not_overwritten(given, tmp_path, refusal, name):
    before = (tmp_path / name).read_bytes()
    message = refusal(OutputError, neuralshade.import_asset, **given, output=tmp_path / name)
    assert "itself as output, need another file" in message
    assert (tmp_path / name).read_bytes() == before


def test_a_file_of_another_kind_is_not_overwritten(given, tmp_path, refusal):
    (tmp_path / "notes").write_text("mine")
    message = refusal(OutputError, neuralshade.import_asset, **given, output=tmp_path / "notes")
    assert "got a file that is no asset" in message


@pytest.mark.parametrize(
    "more, message",
    [
        ({"color_space": "rgb"}, "color_space: got 'rgb', need one of ['srgb', 'linear']."),
        ({"format": "onnx"}, "format: got 'onnx', need one of ['auto', 'tiny-cuda-nn', 'rtxns', "
         "'torch']."),
        ({"size": (0, 3)}, "size: got 0x3, need 1 to 65536 pixels a side. Write for example "
         "1920x1080."),
        ({"channels": 4}, "channels: got 4 where config.n_output_dims is 3, need the same. Leave "
         "it out."),
        ({"format": "torch"}, "config: got "),
        ({"recipe": {"encoding": "identity"}}, "config: got "),
        ({"tensor": 3}, "tensor: got 3, need a name. Leave it out."),
    ],
)  # fmt: skip
def test_arguments_that_are_refused(given, tmp_path, refusal, more, message):
    got = refusal(ConfigError, neuralshade.import_asset, **given, output=tmp_path / "a.nsh", **more)
    assert got.startswith(message)
    assert not (tmp_path / "a.nsh").exists()


@pytest.mark.parametrize("file", [3, None, "a\0b"])
def test_files_that_are_no_paths(tmp_path, refusal, file):
    got = refusal(AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh")
    assert got.startswith("file: got ")


def test_a_linear_network_is_hdr(given, tmp_path):
    asset = neuralshade.import_asset(**given, output=tmp_path / "a.nsh", color_space="linear")
    assert asset.color_space == "linear"
    neuralshade.render(asset, tmp_path / "a.exr", size=(8, 8))


def test_numbers_that_give_no_colors_are_refused(given, tmp_path, refusal):
    config = CONFIG | {"network": CONFIG["network"] | {"output_activation": "Exponential"}}
    (tmp_path / "mlp.json").write_text(json.dumps(config))
    params = tiny_cuda_nn_params(config, 3, np.random.default_rng(1)) * np.float32(1e9)
    safetensors.numpy.save_file({"params": params}, given["file"])
    message = refusal(AssetError, neuralshade.import_asset, **given, output=tmp_path / "a.nsh")
    assert "got a network that gives NaN or infinity, need finite colors" in message
