"""measure/report: the table of a linear picture has the columns that a terminal shows."""

import math

import numpy as np
import pytest

from neuralshade.measure.report import ReportData, write_report

ROW = {"bytes": 900, "bits_per_pixel": 0.3, "ssim": 0.9, "flip": None, "cropped": False,
       "setting": ""}  # fmt: skip


@pytest.mark.parametrize("light, head, cells", [
    ({"log_psnr_db": 41.234, "light_kept": 0.0204}, "<th>Log-PSNR [dB]</th><th>Light</th>",
     "<td>41.23</td><td>2.0%</td>"),
    ({}, "", ""),
])  # fmt: skip
def test_log_psnr_and_share_of_light_stand_beside_psnr(tmp_path, light, head, cells):
    picture = np.full((12, 16, 3), 0.5, np.float32)
    none = dict.fromkeys(light)
    table = [ROW | {"name": "neuralshade", "psnr_db": 34.567} | light,
             ROW | {"name": "Thumbnail", "psnr_db": math.inf} | none]  # fmt: skip
    space = "linear" if light else "srgb"
    page = tmp_path / "page.html"
    write_report(page, ReportData("sky", picture, picture, space, 900, table=table))
    written = page.read_text(encoding="utf-8")
    assert f"<th>PSNR [dB]</th>{head}<th>SSIM</th>" in written
    assert f"<td>34.57</td>{cells}<td>0.9000</td>" in written
    missing = "<td>\N{EN DASH}</td>" * len(light)
    assert f"<td>\N{INFINITY}</td>{missing}<td>0.9000</td>" in written
