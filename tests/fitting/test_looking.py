"""verbs/evaluate, info, report and opening: what is told of an asset is true."""

import dataclasses
import json
import math
import re

import numpy as np
import pytest
import torch
from torch.nn.utils import parameters_to_vector

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import save_asset
from neuralshade.errors import AssetError, OutputError
from neuralshade.kinds.image.engine import preview_psnr
from neuralshade.kinds.image.quality import stored_quality
from neuralshade.model.parameters import pack_halves


def refusal(kind, verb, *arguments, **options):
    with pytest.raises(kind) as caught:
        verb(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_evaluate_rows(fitted):
    rows = neuralshade.evaluate(fitted / "a.nsh", fitted / "a.png")
    assert rows[0]["name"] == "neuralshade" and rows[0]["random_access"]
    assert [row["name"] for row in rows[1:5]] == ["JPEG", "WebP", "AVIF", "Thumbnail"]
    assert {"BC1", "BC7", "ASTC 6x6", "ASTC 8x8"} <= {row["name"] for row in rows[5:]}
    assert [row["random_access"] for row in rows[1:5]] == [False] * 3 + [True]
    size = (fitted / "a.nsh").stat().st_size
    assert rows[0]["bytes"] == size
    assert all(row["bytes"] is None or row["bytes"] <= size for row in rows[:5])
    assert rows[0]["memory_bytes"] == neuralshade.info(fitted / "a.nsh")["memory_bytes"]
    drawn = neuralshade.render(fitted / "a.nsh").astype(np.float64)
    error = np.square(drawn - neuralshade.load_picture(fitted / "a.png").as_float()).mean()
    assert rows[0]["psnr_db"] == pytest.approx(-10 * math.log10(error), abs=1e-6)


@pytest.mark.slow
def test_evaluate_at_another_resolution(fitted, save_smooth):
    """The asset is drawn at the picture's resolution, whatever it was fitted at."""
    picture, notices = save_smooth("b.png", height=48, width=72), []
    larger = neuralshade.evaluate(fitted / "a.nsh", picture, notice=notices.append)
    size = (fitted / "a.nsh").stat().st_size
    assert larger[0]["bits_per_pixel"] == pytest.approx(size * 8 / (48 * 72))
    notice = (
        f"{fitted}/a.nsh: fitted to a.png, 36 x 24 pixels, compared with b.png, 72 x 48 pixels: "
        "another picture, or another size of it. Bits per pixel count the latter."
    )
    assert notices == [notice]
    page = picture.with_name("x.html")
    neuralshade.report(fitted / "a.nsh", picture, page, notice=notices.append)
    assert notices == [notice, notice]
    assert "<dt>Fitted at</dt><dd>36 x 24 pixels</dd>" in page.read_text()


@pytest.mark.parametrize("transform", ["identity", "zoom", "flip"])
def test_nothing_is_noticed_of_the_picture_it_was_fitted_to(tmp_path, save_smooth, few, transform):
    picture, notices = save_smooth(height=25), []
    neuralshade.fit_image(picture, tmp_path / "x.nsh", transform=transform, **few)
    neuralshade.evaluate(tmp_path / "x.nsh", picture, notice=notices.append)
    assert notices == []


@pytest.mark.parametrize("name, channels, got", [("b.png", 1, "1 channels, srgb"),
                                                 ("b.png", 4, "4 channels, srgb"),
                                                 ("b.exr", 3, "3 channels, linear")])  # fmt: skip
@pytest.mark.parametrize("verb", ["evaluate", "report"])
def test_picture_of_another_kind_refused(fitted, save_smooth, tmp_path, verb, name, channels, got):
    picture = save_smooth(name, channels=channels)
    page = [tmp_path / "x.html"] if verb == "report" else []
    assert refusal(
        AssetError, getattr(neuralshade, verb), fitted / "a.nsh", picture, *page
    ) == (
        f"{fitted}/a.nsh: got a picture with {got}, need 3, srgb. "
        "Compare with the picture it was fitted to."
    )  # fmt: skip
    assert not (tmp_path / "x.html").exists()


def test_info(fitted):
    facts = neuralshade.info(fitted / "a.nsh")
    assert json.loads(json.dumps(facts)) == facts
    size = (fitted / "a.nsh").stat().st_size
    assert (facts["kind"], facts["format"], facts["bytes"]) == ("image", 1, size)
    assert facts["bits_per_pixel"] == size * 8 / (36 * 24)
    field = neuralshade.load(fitted / "a.nsh").field  # grids of 4 bits, a step for each column
    network = parameters_to_vector(field.network.parameters()).detach()
    grid = -(-field.encoding.number_count() * 4 // 32) + field.encoding.width
    assert facts["memory_bytes"] == pack_halves(network.numpy()).nbytes + 4 * grid
    assert facts["path"] == str(fitted / "a.nsh")
    assert facts["recipe"]["hidden_width"] == 8 and facts["training"]["steps"] == 30
    assert facts["picture"]["name"] == "a.png"
    assert facts["quality"].keys() == {"psnr_db"}
    assert list(facts["tensors"]) == sorted(facts["tensors"])
    tensors = {n: t for n, t in facts["tensors"].items() if not n.endswith(".scale")}
    assert tensors["network.layers.0.weight"] == "int8 [8, 2]"
    numbers = [math.prod(json.loads(text.partition(" ")[2])) for text in tensors.values()]
    packed = math.prod((12, 8, 2)) // 2  # bytes of the grid, two 4-bit numbers in each
    assert packed in numbers and facts["parameters"] == sum(numbers) + packed


def test_asset_of_an_unknown_recipe_refused(fitted, tmp_path):
    asset = neuralshade.load(fitted / "a.nsh")
    path = tmp_path / "x.nsh"
    recipe = {**asset.header.recipe, "wavelets": 3}
    save_asset(path, "image", dataclasses.replace(asset.header, recipe=recipe), asset.tensors)
    message = refusal(AssetError, neuralshade.info, path)
    assert message.startswith(
        f"{path}: got a recipe that this version cannot read (ImageRecipe.wavelets: unknown "
        "setting, need one of "
    )
    assert message.endswith("), need one it knows. Upgrade neuralshade.")


def test_asset_without_its_tensors_refused(fitted, tmp_path, same_message):
    asset = neuralshade.load(fitted / "a.nsh")
    path = tmp_path / "x.nsh"
    del asset.tensors["network.layers.0.weight"]
    save_asset(path, "image", asset.header, asset.tensors)
    same_message(refusal(AssetError, neuralshade.render, path), path, "Fit")


SECTIONS = ("Target", "Result", "Error", "grid", "Snapshots", "PSNR against", "loss against",
            "JPEG", "WebP", "bits per pixel")  # fmt: skip


def sections_of(page):
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>") and "http://" not in text.replace(
        "http://www.w3.org", ""
    )
    return {s for s in SECTIONS if s.lower() in text.lower()}


@pytest.mark.slow
def test_report_of_a_fit(tmp_path, save_smooth, few, monkeypatch):
    monkeypatch.setattr("neuralshade.fitting.loop.FIRST_MEASURE_SECONDS", 0.0)  # some curve
    few |= {"steps": 300}
    options = FitOptions(report=tmp_path / "x.html")
    neuralshade.fit_image(save_smooth(), tmp_path / "x.nsh", options=options, **few)
    assert sections_of(tmp_path / "x.html") == set(SECTIONS)
    text = (tmp_path / "x.html").read_text()
    assert "torch on cpu" in text
    assert (
        "PSNR as it was measured while training, on 256 x 256 evenly spread pixels at most. The "
        "diamond is the file, on every pixel, after rounding and the search of its codes."
    ) in text
    assert re.findall("<b>([^<]* feature[^<]*)</b>", text) == ["2 features, 12 x 8"]


def test_report_of_an_asset(fitted, tmp_path):
    neuralshade.report(fitted / "a.nsh", fitted / "a.png", tmp_path / "x.html")
    left_out = {"Snapshots", "PSNR against", "loss against"}
    assert sections_of(tmp_path / "x.html") >= set(SECTIONS) - left_out
    assert "Snapshots" not in sections_of(tmp_path / "x.html")


@pytest.mark.parametrize("name", ["a.nsh", "a.png"])
def test_report_does_not_overwrite_its_inputs(fitted, name):
    before = (fitted / name).read_bytes()
    assert refusal(
        OutputError, neuralshade.report, fitted / "a.nsh", fitted / "a.png", fitted / name
    ) == (
        f"{fitted}/{name}: got the input {fitted}/{name} itself as output, need another file. "
        "Choose another path."
    )  # fmt: skip
    assert (fitted / name).read_bytes() == before


def fit_with_snapshots(tmp_path, picture, settings):
    folder = tmp_path / "snaps"
    options = FitOptions(snapshots=folder)
    neuralshade.fit_image(picture, tmp_path / "x.nsh", options=options, **settings)
    return folder, sorted(p.name for p in folder.iterdir())


def test_snapshots_at_log_spaced_steps(tmp_path, save_smooth, few):
    picture = save_smooth()
    folder, names = fit_with_snapshots(tmp_path, picture, few | {"steps": 64, "polish": 0})
    steps = [int(name[len("prediction_") : -4]) for name in names if "prediction" in name]
    assert steps[:4] == [1, 2, 3, 4] and steps[-1] == 64 and len(steps) <= 14
    assert [f"grid_{step:07d}.png" for step in steps] == [n for n in names if "grid" in n]
    last = neuralshade.load_picture(folder / "prediction_0000064.png").as_float()
    drawn = neuralshade.render(tmp_path / "x.nsh")
    assert np.abs(last - drawn).max() <= 1 / 255
    first = neuralshade.load_picture(folder / "prediction_0000001.png").as_float()
    assert np.abs(first - drawn).max() > 0.1
    neuralshade.report(tmp_path / "x.nsh", picture, tmp_path / "x.html", snapshots=folder)
    assert "Snapshots" in sections_of(tmp_path / "x.html")


@pytest.mark.slow
def test_snapshots_of_hdr_are_exr(tmp_path, save_smooth, few):
    folder, names = fit_with_snapshots(tmp_path, save_smooth("a.exr", peak=40), few)
    predictions = [name for name in names if "prediction" in name]
    assert predictions and all(name.endswith(".exr") for name in predictions)
    neuralshade.report(tmp_path / "x.nsh", tmp_path / "a.exr", tmp_path / "x.html",
                       snapshots=folder)  # fmt: skip


@pytest.mark.parametrize("encoding", ["identity", "dense_grid:features=1,width=5,height=4",
                                      "dense_grid:features=2,width=5,height=4",
                                      "hash_grid:levels=2,finest=20"])  # fmt: skip
def test_snapshots_of_every_encoding(tmp_path, save_smooth, few, encoding):
    _, names = fit_with_snapshots(tmp_path, save_smooth(), few | {"encoding": encoding})
    assert any("grid" in name for name in names) == encoding.startswith("dense")


def test_snapshots_do_not_change_the_fit(tmp_path, save_smooth, few):
    picture = save_smooth()
    fit_with_snapshots(tmp_path, picture, few)
    neuralshade.fit_image(picture, tmp_path / "y.nsh", **few)
    one, two = (neuralshade.load(tmp_path / name).tensors for name in ("x.nsh", "y.nsh"))
    assert all(np.array_equal(one[name], two[name]) for name in two)


def test_snapshot_folder_refused(tmp_path, save_smooth, few):
    picture = save_smooth()
    for folder, got, remedy in (
        (tmp_path / "no/way", "'No such file or directory'",
         "Create its parent, or choose another."),
        (picture, "a file", "Choose another."),
    ):  # fmt: skip
        options = FitOptions(snapshots=folder)
        assert refusal(
            OutputError, neuralshade.fit_image, picture, tmp_path / "x.nsh", options=options, **few
        ) == f"{folder}: got {got}, need a folder for snapshots. {remedy}"  # fmt: skip


@pytest.mark.parametrize("name, got", [("none", "no such folder"), ("file", "a file")])
def test_snapshots_of_no_folder_are_refused_before_anything_is_read(tmp_path, name, got):
    (tmp_path / "file").write_text("")
    folder = tmp_path / name
    given = (tmp_path / "x.nsh", tmp_path / "x.png", tmp_path / "x.html")  # which are not there
    assert refusal(OutputError, neuralshade.report, *given, snapshots=folder) == (
        f"{folder}: got {got}, need the folder that a fit filled with --snapshots. Leave "
        "--snapshots out."
    )


@pytest.mark.parametrize("name", [None, "prediction_first.png"])
def test_folder_without_snapshots_refused(fitted, tmp_path, name, same_message):
    if name is not None:
        (tmp_path / name).write_bytes((fitted / "a.png").read_bytes())
    given = (fitted / "a.nsh", fitted / "a.png", tmp_path / "x.html")
    message = refusal(OutputError, neuralshade.report, *given, snapshots=tmp_path)
    same_message(message, tmp_path, "--snapshots")


class FakeEngine:
    """Draws what it was told, whatever it is asked."""

    def __init__(self, drawn):
        self.drawn = drawn
        self.target = torch.empty(3, 4, 5)
        self.target.height, self.target.width = 4, 5

    def averaged(self):
        return torch.no_grad()

    def preview(self, lattice):
        return torch.full((3, 20), self.drawn), torch.full((3, 20), 0.5)


@pytest.mark.parametrize("drawn, white, hdr, psnr", [(0.6, 1.0, False, 20.0),
                                                     (0.5, 1.0, False, 200.0),
                                                     (7.0, 1.0, False, 6.0206),
                                                     (1.5, 10.0, True, 20.0)])  # fmt: skip
def test_psnr_on_the_way(drawn, white, hdr, psnr):
    assert preview_psnr(FakeEngine(drawn), white, hdr) == pytest.approx(psnr, abs=1e-3)


@pytest.mark.parametrize("drawn", [math.nan, 1e30])
def test_psnr_of_no_fit_is_not_that_of_a_perfect_one(drawn):
    assert math.isnan(preview_psnr(FakeEngine(drawn), 1.0, True))


def test_stored_quality_is_that_of_the_tensors(fitted):
    asset = neuralshade.load(fitted / "a.nsh")
    recipe = neuralshade.ImageRecipe(**asset.header.recipe)
    picture = neuralshade.load_picture(fitted / "a.png")
    assert stored_quality(recipe, asset.tensors, picture) == asset.header.quality
    for name in asset.tensors:
        asset.tensors[name] = np.zeros_like(asset.tensors[name])
    error = float(np.square(picture.as_float().astype(np.float64)).mean())
    assert stored_quality(recipe, asset.tensors, picture)["psnr_db"] == round(
        -10 * math.log10(error), 3
    )
