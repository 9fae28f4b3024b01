"""engines/mitsuba: the tray of examples/scene by Mitsuba's path tracer, beside that by ours."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.engine_exports import exported
from fixtures.mitsuba_runs import run_there, skip_without
from fixtures.mitsuba_trays import arrays_of
from fixtures.small_kinds import DATA

from neuralshade.scene.document import read_scene
from neuralshade.scene.render import scene_contents

pytestmark = [pytest.mark.slow]
TRAY = Path(__file__).parents[5] / "examples/scene/tray.toml"
SIZE, SAMPLES, PICTURES = (64, 36), 96, 8
BLOCK = 6  # pixels along a side of what is compared: noise falls, what is misplaced does not


def blocks(pictures):
    """Return means of BLOCK x BLOCK pixels of [n, height, width, 3]; the rest is left out."""
    count, height, width, _ = pictures.shape
    rows, columns = height // BLOCK, width // BLOCK
    inside = pictures[:, : rows * BLOCK, : columns * BLOCK]
    return inside.reshape(count, rows, BLOCK, columns, BLOCK, 3).mean((2, 4))


def mean_and_error(values):
    return values.mean(0), values.std(0, ddof=1) / len(values) ** 0.5


def test_the_tray_is_ours(seen, tmp_path):
    skip_without("llvm_ad_rgb")
    lines = [line for line in TRAY.read_text().splitlines() if not line.startswith("reference")]
    text = "\n".join(lines).replace('"copper.nsh"', f'"{(DATA / "material.nsh").as_posix()}"')
    assert "material.nsh" in text
    (tmp_path / "tray.toml").write_text(text.replace("[640, 360]", str(list(SIZE))))
    document = read_scene(tmp_path / "tray.toml")
    ours = seen(scene_contents(document), document.camera, SIZE, SAMPLES, document.bounces)
    _, files = exported(DATA / "material.nsh", "mitsuba")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    theirs = run_there("llvm_ad_rgb", tmp_path, "photo", "scene", samples=SAMPLES // 2,
                       pictures=PICTURES, **arrays_of(document))["picture"]  # fmt: skip
    assert ours.shape[1:] == theirs.shape[1:]
    assert abs(ours.mean() / theirs.mean() - 1) < 0.01
    found, error = mean_and_error(blocks(ours))
    wanted, other = mean_and_error(blocks(theirs))
    # They mix rows of the sky, and have normals of a triangle's frame: 1 %.
    assert (np.abs(found - wanted) < 5 * np.hypot(error, other) + 0.01 * wanted).all()
    assert np.abs(found / wanted - 1).mean() < 0.02 and wanted.std() > 0.05
