"""docs/python.md and examples/tutorial.ipynb: all that they run works, and does what they say."""

import json
import pathlib
import re

import matplotlib
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text()
NOTEBOOK = json.loads((ROOT / "examples/tutorial.ipynb").read_text())


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Be in an empty folder, with plots that are shown nowhere."""
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    return {}


@pytest.mark.slow  # writes a report, with every rival of its table and its plots
def test_the_page_runs(names, capsys):
    for text in re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S):
        exec(text, names)
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("<FitResult: waves.nsh, ") and told[0].endswith(" bytes>")
    assert told[1].endswith("Pass tensor.permute(1, 2, 0) where channels come first.")
    assert min(map(float, told[2:4])) > 20 and told[4] == "torch.Size([1000, 2])"
    assert names["half"].shape == (32, 48, 3) and names["colors"].shape == (2, 3)
    assert names["light"].hdr and pathlib.Path("waves.html").stat().st_size > 500


@pytest.mark.slow
def test_the_notebook_runs(names):
    cells = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    for cell in cells:
        exec("".join(cell["source"]), names)
    error = np.abs(names["drawn"][::2, ::2] - names["pixels"] / 255).mean()
    assert error < 0.05 and names["error"] < 0.01
    ours, bc1 = (next(r for r in names["table"] if r["name"] == n) for n in ("neuralshade", "BC1"))
    assert ours["psnr_db"] > bc1["psnr_db"] and ours["bytes"] <= bc1["bytes"]
    assert (names["slopes"].abs().mean(0) > 0.01).all()
