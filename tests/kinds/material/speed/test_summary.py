"""kinds/material/speed/summary: what evaluate --speed says of a material and its network."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.asset import pack_field, pack_sampler
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.stack import load_stack
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.speed import summary
from neuralshade.kinds.material.speed.summary import (
    BAKED,
    ITSELF,
    LOOPS,
    NETWORK,
    NOTHING,
    speed_lines,
    speed_rows,
)

STACK = """
[mask]
spots = { noise = "fractal", scale = 2, octaves = 1 }

[[layer]]
kind = "diffuse"
color = { mix = ["#202020", "#f0d0a0"], by = "spots" }
"""


def row(what, path, *microseconds):
    one, of_four = microseconds[:2], microseconds[2:]
    spent = {key: {"1": a, "4": b} for key, a, b in zip(("plane_us", "scattered_us"), one, of_four,
                                                        strict=True)}  # fmt: skip
    return {"what": what, "path": path, "device": "GPU", "api": "vulkan", "software": False,
            "points": 2_073_600, **spent}  # fmt: skip


def worth(psnr_db, **more):
    return {"psnr_db": psnr_db, "l1_highlight": 0.05, "memory_bytes": 4096, **more}


def test_lines_say_how_often_as_fast_each_way_is():
    rows = [row(NOTHING, "", 10.0, 12.0, 20.0, 24.0), row(ITSELF, "", 400.0, 420.0, 1600.0, 1680.0),
            row(BAKED, "", 200.0, 210.0, 400.0, 420.0) | worth(31.0),
            row(NETWORK, "vector", 80.0, 84.0, 200.0, 240.0)
            | worth(40.0, level_error=0.0312),
            row(LOOPS, "fma", 500.0, 600.0, 2000.0, 2400.0)]  # fmt: skip
    first, *lines, _ = speed_lines(rows)
    assert first == ("Speed on GPU through Vulkan of 2,073,600 points, microseconds on a plane / "
                     "scattered:")  # fmt: skip
    assert lines[1] == f"{ITSELF}: 400 / 420, 1,600 / 1,680 under 4 lights"
    assert lines[2].startswith(f"{BAKED}: 200 / 210, ")
    assert lines[3].startswith(f"{NETWORK} (cooperative vectors): 80 / 84, ")
    assert lines[5] == f"{NETWORK}, times as fast as {ITSELF}: 5.0 / 5.0, 8.0 / 7.0 under 4 lights"
    assert lines[6] == f"{LOOPS}, times as fast as {ITSELF}: 0.8 / 0.7, 0.8 / 0.7 under 4 lights"
    assert lines[7] == f"{BAKED}, times as fast as {ITSELF}: 2.0 / 2.0, 4.0 / 4.0 under 4 lights"
    assert lines[8] == f"{BAKED}: 31.00 dB, L1 around highlights 0.050, 4,096 bytes in a GPU"
    assert lines[9] == (f"{NETWORK}: 40.00 dB, L1 around highlights 0.050, SMAPE of mip levels "
                        "0.031, 4,096 bytes in a GPU")  # fmt: skip
    assert lines[10] == ("break-even: a material that takes 80 / 84 itself takes as long as its "
                         "network")  # fmt: skip


def test_a_file_from_before_highlights_were_measured_tells_nothing_of_its_worth():
    old = SimpleNamespace(header=SimpleNamespace(quality={"psnr_db": 30.0}), memory_bytes=4096)
    assert summary._network_worth(old) == {}


@pytest.mark.slow  # kernels of each way
def test_each_way_is_timed_on_the_device(gpu, monkeypatch, tmp_path):
    monkeypatch.setattr(summary, "FEW", (16, 8))
    monkeypatch.setattr(summary, "SCREEN", (16, 8))
    recipe = MaterialRecipe(size=8, hidden_width=16)
    field = build_field(recipe, 8, torch.Generator().manual_seed(1))
    drawn = untrained_sampler(recipe)
    header = SimpleNamespace(quality={"psnr_db": 20.0, "l1_highlight": 0.5})
    material = {"levels": [{"error": 0.1}, {"error": 0.2}, {"error": 0.4}]}
    opened = SimpleNamespace(recipe=recipe, side=8, header=header, memory_bytes=512,
                             tensors={**pack_field(field), **pack_sampler(drawn)},
                             material=material)  # fmt: skip
    (tmp_path / "x.toml").write_text(STACK)
    rows = speed_rows(gpu, load_stack(tmp_path / "x.toml"), opened)
    ways = [NOTHING, ITSELF, BAKED, NETWORK] + [LOOPS] * (rows[3]["path"] != "fma")
    assert [row["what"] for row in rows] == ways
    assert rows[2]["memory_bytes"] == round(8 * 8 * 4 * 4 / 3) and rows[3]["memory_bytes"] == 512
    assert rows[2]["psnr_db"] > 30 and 0.001 < rows[2]["level_error"] < 0.1
    assert rows[3]["level_error"] == pytest.approx(0.3)
    for one in rows:
        assert one["points"] == 16 * 8 and one["software"] == gpu.adapter.software
        assert min(*one["plane_us"].values(), *one["scattered_us"].values()) > 0
    assert ("says nothing of a GPU" in speed_lines(rows)[0]) == gpu.adapter.software


def test_a_changed_material_is_told_before_it_is_timed(tmp_path, share_device, monkeypatch):
    """And once, though it is evaluated behind that."""
    share_device(monkeypatch)
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 16)
    monkeypatch.setattr("neuralshade.kinds.material.judging.measures.PAIRS", 256)
    path, heard, before = tmp_path / "paint.nsh", [], []
    fit_material(paint_reference(), path, steps=2, size=8, batch=64, hidden_width=16)

    def speed_rows(*given):
        before.extend(heard)
        return []

    monkeypatch.setattr(summary, "speed_rows", speed_rows)
    monkeypatch.setattr(summary, "speed_lines", lambda rows: [])
    given = paint_reference()
    changed = dataclasses.replace(given, text=given.text + "// drier\n")
    neuralshade.evaluate(path, changed, speed=True, notice=heard.append)
    assert heard == before and len(heard) == 1
    assert "is not what it was fitted to" in heard[0]


def test_other_kinds_have_none(tmp_path):
    photo = np.zeros((8, 8, 3), np.uint8)
    neuralshade.fit_image(photo, tmp_path / "x.nsh", steps=2, hidden_width=16)
    with pytest.raises(ConfigError, match=r"got --speed, need a material's asset\. Leave it out"):
        neuralshade.evaluate(tmp_path / "x.nsh", photo, speed=True)
    with pytest.raises(ConfigError, match="need a material's asset"):
        neuralshade.report(tmp_path / "x.nsh", photo, tmp_path / "x.html", speed=True)
    assert not (tmp_path / "x.html").exists()
