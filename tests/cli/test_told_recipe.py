"""cli: the recipe that ``info --toml`` prints, for the same picture and for another one."""

import pytest

import neuralshade
from neuralshade.base.toml_file import read_toml

GRIDS = "dense_grid:levels=1,features=2,coarsest=1,width=4,height=4"


@pytest.fixture
def told(run, folder, save_smooth):
    """Fit a picture of 160 x 112 pixels; return its TOML, beside a small one at b.png."""

    def told(*flags):
        picture = str(save_smooth(height=112, width=160))
        assert run("fit", "image", picture, "-o", "p.nsh", "--steps", "1", *flags).code == 0
        lines = run("info", "p.nsh", "--toml").out
        (folder / "p.toml").write_text("\n".join(lines))
        again = run("fit", "image", picture, "-o", "again.nsh", "--recipe", "p.toml")
        assert again.code == 0
        same = (neuralshade.info(name)["recipe"] for name in ("p.nsh", "again.nsh"))
        assert next(same) == next(same)
        return read_toml("p.toml"), lines

    return told


@pytest.fixture
def fit_other(run, folder, save_smooth):
    def fit_other():
        other = str(save_smooth(height=80, width=96))
        assert run("fit", "image", other, "-o", "q.nsh", "--recipe", "p.toml").code == 0
        return neuralshade.info("q.nsh")

    return fit_other


def test_another_picture_has_its_own_sizes_by_bpp(told, fit_other):
    """It had those of the first picture: 63.6 bits per pixel where the file said 4."""
    settings, lines = told("--bpp", "8")
    found = {name: settings[name] for name in ("encoding", "hidden_width", "batch", "loss", "bpp")}
    assert found == {"encoding": "auto", "hidden_width": 0, "batch": 0, "loss": "auto", "bpp": 8.0}
    assert "batch = 0  # of this one 8192" in lines and 'loss = "auto"  # of this one "l2"' in lines
    assert 7 < fit_other()["bits_per_pixel"] <= 8


def test_what_was_set_by_hand_stays(told, fit_other):
    settings, _ = told("--hidden-width", "24", "--batch", "512", "--loss", "l1", "--bpp", "8")
    assert (settings["hidden_width"], settings["batch"], settings["loss"]) == (24, 512, "l1")
    assert settings["encoding"] == "auto"
    assert fit_other()["recipe"]["batch"] == 512


def test_an_encoding_that_was_named_stays_without_bpp_which_sized_nothing(told, fit_other):
    settings, _ = told("--encoding", GRIDS, "--hidden-width", "16")
    assert (settings["encoding"], settings["hidden_width"]) == (GRIDS, 16)
    assert "bpp" not in settings
    assert fit_other()["recipe"]["encoding"] == GRIDS


@pytest.mark.parametrize("transform", ["zoom", "flip"])
def test_sizes_are_those_of_the_transformed_picture(told, transform):
    assert told("--transform", transform, "--bpp", "20")[0]["encoding"] == "auto"
