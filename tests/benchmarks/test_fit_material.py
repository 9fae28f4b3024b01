"""benchmarks/fit_material: from a graph to tables and sheet, with sizes that say nothing."""

import json
import sys

import fit_material
import pytest
from fixtures.small_material import PAINT, TOLD
from PIL import Image
from rivals import material_sheet
from shared import results


@pytest.fixture
def small(tmp_path, monkeypatch, one_device):
    """Let spheres be small, and results go elsewhere; return the folder and a graph in it."""
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 24)
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SKY_LIGHTS", 4)
    monkeypatch.setattr("neuralshade.kinds.material.judging.measures.PAIRS", 256)
    monkeypatch.setattr("neuralshade.kinds.material.judging.measures.PLACES", 64)
    monkeypatch.setattr("neuralshade.kinds.material.device_samples.PREFETCHED", 2**10)
    monkeypatch.setattr(material_sheet, "SIDE_PX", 32)
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    monkeypatch.setattr(fit_material, "FOLDER", tmp_path)
    for name, value in (("SCREEN", (16, 8)), ("FEW", (16, 8)), ("LONG", fit_material.SHORT)):
        monkeypatch.setattr(fit_material, name, value)
    graph = tmp_path / "paint.slang"
    graph.write_text(PAINT + TOLD)
    return tmp_path, graph


@pytest.mark.slow  # a whole fit, five more of rivals, and twelve kernels compiled
def test_a_run_writes_every_table_and_a_sheet(small, monkeypatch, capsys):
    folder, graph = small
    words = "--steps 8 --size 8 --batch 64 --networks 16x1 --apis vulkan --lights 2 --pictures"
    monkeypatch.setattr(sys, "argv", ["fit_material.py", str(graph), *words.split()])
    fit_material.main()
    told = json.loads((folder / "fit_material_cpu.json").read_text())
    ways = ["lobes 16x1", "frames 16x1", "frames 16x1, hard_gelu", "PBR maps", "PBR maps, coat"]
    fitted = ["fit material 16x1", *ways]
    assert told["machine"]["map"] == "8 x 8 x 8"
    quality = [row["what"] for row in told["Quality"] if row["graph"] == graph.name]
    assert quality == [*fitted, "texels"] and fitted == [row["what"] for row in told["Fits"]]
    assert all(row["bytes on disk"] > row["bytes in GPU memory"] > 512 for row in told["Fits"])
    leads = told["Beside rivals and bars"]
    assert [row["what"] for row in leads] == [fitted[0], "lobes 16x1"]
    assert all(isinstance(value, float) for row in leads for value in list(row.values())[2:5])
    timed = [row["what"] for row in told["Evaluation"]]
    assert timed == ["nothing", "graph", "PBR maps", "fit material 16x1"]
    assert told["Evaluation"][1]["2 lights, times as fast"] == "1.00 / 1.00"
    assert all(row["points"] == 128 for row in told["Evaluation"])
    with Image.open(folder / "fit_material_cpu_paint_slang.png") as sheet:
        assert sheet.size == (32 * (2 + len(fitted)), 2 * 32 + material_sheet.LABEL_PX)
    assert "fit material 16x1" in (folder / "fit_material_cpu.json").read_text()
