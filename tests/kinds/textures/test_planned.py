"""kinds/textures/planned: what sizes are expected to reach, beside blocks and files."""

import itertools

import pytest

from neuralshade import FitOptions
from neuralshade.errors import ConfigError, OutputError
from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.layout import layout_text
from neuralshade.kinds.textures.planned import FILES, plan_textures
from neuralshade.kinds.textures.spectrum import layouts_for

CPU = FitOptions(engine="torch", device="cpu")


@pytest.fixture
def plan(maps, few, tmp_path, monkeypatch):
    """Give a function that plans for a small set in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda output=None, options=CPU, **settings: plan_textures(
        maps, output, options=options, **few | settings
    )


@pytest.mark.slow
def test_rows_and_the_plot(plan, maps, tmp_path, capsys):
    found = plan("curve.svg")
    ours = [row for row in found.rows if row["expected"]]
    suited = layouts_for(maps, codings_of(maps))
    assert [row["setting"] for row in ours] == [layout_text(shapes) for shapes in suited]
    for before, after in itertools.pairwise(ours):
        assert before["bytes"] < after["bytes"]
        assert before["mean_psnr_db"] <= after["mean_psnr_db"]
    measured = {row["name"] for row in found.rows} - {"neuralshade"}
    assert {"BC7, BC5, BC4", "BC7, BC5, BC4 at half size"} <= measured <= {
        "BC7, BC5, BC4", "BC7, BC5, BC4 at half size", FILES}  # fmt: skip
    assert all(list(row["psnr_db"]) == ["albedo", "normal", "roughness"]
               for row in found.rows if row["bytes"] is not None)  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["curve.svg"]
    drawn = (tmp_path / "curve.svg").read_text()
    assert drawn.startswith("<?xml") and "neuralshade, expected" in drawn
    found.print()
    printed = capsys.readouterr().out
    assert f"{ours[0]['bytes']:,}" in printed and "expected of whole fits" in printed
    assert printed.endswith("\ncurve.svg\n")


@pytest.mark.parametrize("asked, message", [
    ({"bpp": 5.0}, "plan: got it beside bpp, which is a size already, need one of the two. Leave "
     "one out."),
    ({"byte_count": 9000}, "plan: got it beside bytes, which is a size already, need one of the "
     "two. Leave one out."),
    ({"target_psnr": 30.0}, "target_psnr: got it beside plan, which is of all sizes, need one of "
     "the two. Leave one out."),
    ({"options": FitOptions(engine="torch", report="x.html")}, "report: got 'x.html', need None: "
     "fit textures --plan has no choice of it. Leave report out."),
])  # fmt: skip
def test_refusals(refusal, plan, tmp_path, asked, message):
    assert refusal(ConfigError, plan, **asked) == message
    assert list(tmp_path.iterdir()) == []


def test_a_plot_is_a_picture(refusal, plan, same_message):
    same_message(refusal(OutputError, plan, "curve.nsh"), "curve.nsh", "Choose")
