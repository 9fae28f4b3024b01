"""cli: a user's defaults file is read by fits, and never in silence."""

import pytest

import neuralshade
from neuralshade.cli.doctor import _check_table
from neuralshade.fitting import defaults
from neuralshade.verbs.doctor import findings


@pytest.fixture
def written(folder, monkeypatch):
    """Give what writes the file."""
    path = folder / "settings" / "defaults.toml"
    monkeypatch.setattr(defaults.platformdirs, "user_config_dir", lambda *a, **b: str(path.parent))

    def written(text):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return written


FIT = ("fit", "image", "a.png", "-o", "a.nsh")
TOLD = '[image]\npreset = "tiny-9"\nsteps = 3\nrate = 0.02\nengine = "torch"\n[splats]\nsteps = 1\n'


def recipe_of(asset):
    return neuralshade.info(asset)["recipe"]


def test_they_are_read_and_said(run, written):
    path = written(TOLD)
    done = run(*FIT)
    assert done.code == 0
    assert done.err[0] == (
        f"defaults of {path}: preset = 'tiny-9', steps = 3, rate = 0.02, engine = 'torch'"
    )
    recipe = recipe_of("a.nsh")
    assert (recipe["steps"], recipe["rate"], recipe["encoding"]) == (3, 0.02, "identity")
    assert run(*FIT, "--quiet").err == []


def test_a_recipe_and_what_is_typed_count_more(run, written, folder):
    written(TOLD)
    (folder / "r.toml").write_text('rate = 0.03\nhidden_width = 8\noutput = "b.nsh"')
    assert run("fit", "image", "a.png", "--recipe", "r.toml", "--seconds", "0.05").code == 0
    recipe = recipe_of("b.nsh")
    assert (recipe["rate"], recipe["hidden_width"]) == (0.03, 8)
    assert (recipe["steps"], recipe["seconds"]) == (None, 0.05)  # an end replaces all usual ones
    assert run(*FIT, "--rate", "0.04", "--preset", "tiny").code == 0
    assert (recipe_of("a.nsh")["rate"], recipe_of("a.nsh")["hidden_width"]) == (0.04, 32)


@pytest.mark.parametrize("flags, told", [
    (("--rate", "0.04"), "preset = 'tiny-9', steps = 3, engine = 'torch'"),
    (("--seconds", "0.05"), "preset = 'tiny-9', rate = 0.02, engine = 'torch'"),  # it ends it
    (("--engine", "auto", "--preset", "tiny"), "steps = 3, rate = 0.02"),
    (("--recipe", "r.toml"), "preset = 'tiny-9', steps = 3"),
    (("--resume", "begun.nsh", "--steps", "4"), "engine = 'torch'"),
])  # fmt: skip
def test_what_others_count_more_than_is_not_said(run, written, folder, flags, told):
    if "--resume" in flags:
        run("fit", "image", "a.png", "-o", "begun.nsh", "--preset", "tiny-9", "--steps", "2")
    path = written(TOLD)
    (folder / "r.toml").write_text('rate = 0.03\nengine = "auto"')
    assert run(*FIT, *flags).err[0] == f"defaults of {path}: {told}"


def test_of_none_that_takes_effect_nothing_is_said(run, written):
    written("[image]\nrate = 0.02")
    done = run(*FIT, "--rate", "0.04", "--preset", "tiny-9", "--steps", "2")
    assert done.code == 0 and "defaults of" not in "".join(done.err)


def test_a_fit_that_is_gone_on_with_keeps_its_settings(run, written):
    assert run(*FIT, "--preset", "tiny-9", "--steps", "2", "--engine", "torch").code == 0
    written("[image]\nhidden_width = 16\nrate = 0.5")
    done = run("fit", "image", "a.png", "-o", "b.nsh", "--resume", "a.nsh", "--steps", "2")
    assert done.code == 0 and recipe_of("b.nsh")["rate"] == recipe_of("a.nsh")["rate"]


@pytest.mark.parametrize("text, message", [
    ("[image]\nrates = 3", "{path}: got 'rates' in [image], need the name of a flag of fit image. "
     "Did you mean rate?"),
    ("steps = 3", "{path}: got steps outside of a table, need it in one of a kind. Write [image] "
     "above it."),
    ("[imag]\nsteps = 3", "{path}: got a table [imag], need one of image, splats, mipmaps, "
     "textures, material, shader, materials. Did you mean image?"),
    ("[mip_family]\nsteps = 3", "{path}: got a table [mip_family], need one of image, splats, "
     "mipmaps, textures, material, shader, materials. Write [image] for example."),
    ("[image]\nengine = 3", "{path}: got engine=3, need a string. It is what --engine takes."),
    ("[image]\npreset = 3", "{path}: got preset=3, need the name of a preset. Write for example "
     'preset = "grid".'),
])  # fmt: skip
def test_what_no_fit_takes_is_refused(run, written, text, message):
    path = written(text)
    done = run(*FIT)
    assert done.code == 1
    assert done.err[-1] == "neuralshade: " + message.format(path=path)


def test_help_and_python_take_none(run, written, folder):
    written("[image]\nrates = 3")
    assert run("fit", "image", "--help").code == 0
    options = neuralshade.FitOptions(engine="torch")
    neuralshade.fit_image("a.png", "a.nsh", steps=1, hidden_width=8, options=options)


def test_doctor_says_where_they_are(written):
    (row,) = (row for row in findings._itself(str) if row["what"] == "your defaults")
    assert row["state"] == "off" and row["found"].endswith("defaults.toml")
    path = written(TOLD)
    (row,) = findings._defaults(_check_table)
    assert (row["state"], row["found"]) == ("ok", f"{path}: [image], [splats]")


@pytest.mark.parametrize("text, found", [
    ("[image", "need a TOML file"), ("steps = 3", "need it in one of a kind"),
    ("[fit.image]\nsteps = 3", "got a table [fit]"),
    ("[image]\nrates = 3", "got 'rates' in [image], need the name of a flag of fit image."),
    ("[image]\nengine = 3", "got engine=3, need a string. It is what --engine takes."),
    ("[splats]\nbpp = 0.5\n[image]\nbpp = -1", "in [image]: ImageRecipe.bpp: got -1"),
    ("[image]\npreset = 'grit'", "got preset='grit' in [image], need one of grid, "),
    ("[textures]\nwrap = 'tile'", "in [textures]: TexturesRecipe.wrap: got 'tile'"),
    ("[materials]\nhidden_width = true", "in [materials]: MaterialRecipe.hidden_width: got True"),
])  # fmt: skip
def test_doctor_says_what_no_fit_would_take(written, text, found):
    path = written(text)
    (row,) = findings._defaults(_check_table)
    assert row["state"] == "wrong" and found in row["found"]
    assert row["remedy"] == f"correct {path}, or remove it"


def test_fits_of_several_have_a_table_of_their_own(run, written):
    written("[materials]\nsteps = 3")
    assert run(*FIT, "--steps", "2", "--quiet").code == 0
    done = run("fit", "materials", "nothing.toml")
    assert done.code == 1 and done.err[0].endswith("defaults.toml: steps = 3")
