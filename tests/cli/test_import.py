"""neuralshade import: the command line of import_asset."""

import json

import numpy as np
import pytest
from fixtures.foreign_networks import random_layers, rtxns_bytes, tiny_cuda_nn_params

from neuralshade.cli.main import main

CONFIG = {
    "encoding": {"otype": "Frequency", "n_frequencies": 3},
    "network": {"otype": "CutlassMLP", "n_neurons": 16, "n_hidden_layers": 1},
}


@pytest.fixture
def folder(tmp_path, noise, monkeypatch):
    np.savez(tmp_path / "p.npz", params=tiny_cuda_nn_params(CONFIG, 1, noise))
    (tmp_path / "mlp.json").write_text(json.dumps(CONFIG))
    (tmp_path / "n.ns.bin").write_bytes(rtxns_bytes(*random_layers((12, 8, 3), noise)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ran(*arguments):
    try:
        main(list(arguments))
    except SystemExit as ended:
        return ended.code
    return 0


def test_parameters_with_a_config(folder, capsys):
    assert ran("import", "p.npz", "--config", "mlp.json", "-o", "a.nsh", "--channels", "1",
               "--size", "40x30") == 0  # fmt: skip
    size = (folder / "a.nsh").stat().st_size
    assert capsys.readouterr().out == (
        f"a.nsh: {size:,} bytes, imported from p.npz (tiny-cuda-nn)\n"
    )
    assert ran("info", "a.nsh") == 0
    shown = capsys.readouterr().out
    assert "not measured" in shown
    assert "40 x 30, 1 channels" in shown
    assert "0 steps" not in shown
    assert ran("render", "a.nsh", "-o", "a.png") == 0


def test_json(folder, capsys):
    assert ran("import", "n.ns.bin", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["path"] == "n.nsh"
    assert facts["source"] == "imported from n.ns.bin (RTXNS)"


def test_refusals_write_nothing(folder, capsys):
    assert ran("import", "p.npz") != 0
    assert "config: got none for p.npz" in capsys.readouterr().err
    assert ran("import", "n.ns.bin", "--config", "mlp.json") != 0
    assert "config: got 'mlp.json' for rtxns, need none" in capsys.readouterr().err
    assert ran("import", "p.npz", "--config", "mlp.json", "-o", "p.npz") != 0
    assert not list(folder.glob("*.nsh"))
