"""README.md: the rows of its table of fits run as they are typed, on what ``sample`` writes."""

import pathlib
import re
import shlex

import pytest

from neuralshade.cli.main import main
from neuralshade.verbs.sample.sample import SAMPLES, write_sample

README = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
ROWS = re.findall(r"^\|.*`neuralshade (fit [^`]+)`", README, re.M)
SHORT = {"material": ["--size", "16"], "shader": ["--threads", "16x16"],
         "mipmaps": ["--pairs", "4", "--pool", "4"]}  # fmt: skip


def test_there_is_a_row_for_each_kind():
    kinds = {row.split()[1] for row in ROWS}
    assert kinds == {"image", "splats", "textures", "mipmaps", "material", "shader"}
    assert "neuralshade sample" in README


@pytest.mark.slow
@pytest.mark.slangpy
@pytest.mark.parametrize("row", ROWS)
def test_a_row_runs_as_typed(row, tmp_path, monkeypatch, capsys):
    """With fewer steps, and on fewer texels."""
    monkeypatch.chdir(tmp_path)
    for name in SAMPLES:
        write_sample(name)
    words = shlex.split(row)
    code = None
    try:
        main([*words, "--steps", "2", *SHORT.get(words[1], [])])
    except SystemExit as leaving:
        code = leaving.code
    assert code in (0, None), capsys.readouterr().err
    assert {path.suffix for path in tmp_path.iterdir()} & {".nsh", ""}
