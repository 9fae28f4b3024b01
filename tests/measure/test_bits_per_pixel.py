"""Bits per pixel of tiny pictures: a header alone is thousands, which no decimals make clearer."""

import numpy as np

from neuralshade.kinds.textures.evaluate import TexturesTable
from neuralshade.measure.quality_rows import COLUMNS, rows_for
from neuralshade.measure.report import ReportData, write_report

BYTES = 11_111
ONE = np.zeros((1, 1, 3), np.float32)


def test_in_the_table():
    row = rows_for(ONE, ONE, BYTES, "srgb", rivals=())[0]
    told = {column.title: column.cell(row) for column in COLUMNS}
    assert told["bits/pixel"] == "88,888"
    told = {column.title: column.cell(row | {"bits_per_pixel": 3.97729}) for column in COLUMNS}
    assert told["bits/pixel"] == "3.977"


def test_of_a_set(capsys):
    row = dict.fromkeys(("memory_bytes", "mean_psnr_db", "flip", "lit_l1"))
    row |= {"name": "neuralshade", "bytes": BYTES, "bits_per_texel": 8.0 * BYTES, "setting": "",
            "random_access": True, "psnr_db": {}}  # fmt: skip
    TexturesTable([], [row], [], []).print()
    assert " 88,888 " in capsys.readouterr().out


def test_on_a_page(tmp_path):
    table = rows_for(ONE, ONE, BYTES, "srgb", rivals=())
    data = ReportData("dot", ONE, ONE, "srgb", BYTES, table=table, memory_bytes=BYTES)
    write_report(tmp_path / "page.html", data)
    text = (tmp_path / "page.html").read_text()
    assert text.count("88,888 bits per pixel") == 2 and "<td>88,888</td>" in text
    assert "8.89e+04" not in text and "88888" not in text
