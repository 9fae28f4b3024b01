"""cli: a --recipe file holds every flag of its verb; what is typed counts more."""

import pytest

import neuralshade

LINES = """
steps = 3
preset = "tiny-9"
engine = "torch"
output = "told.nsh"
report = "told.html"
quiet = true
"""


@pytest.fixture
def recipe(folder):
    def recipe(text):
        (folder / "r.toml").write_text(text)
        return "fit", "image", "a.png", "--recipe", "r.toml"

    return recipe


def test_flags_of_a_file_are_heeded(run, recipe, folder):
    done = run(*recipe(LINES.replace('report = "told.html"', 'events = "told.jsonl"')))
    assert (done.code, done.out, done.err) == (0, [], [])
    assert neuralshade.info("told.nsh")["recipe"]["steps"] == 3
    assert (folder / "told.jsonl").exists() and not (folder / "a.nsh").exists()


def test_what_is_typed_counts_more(run, recipe, folder):
    typed = ("-o", "typed.nsh", "--steps", "2", "--json")
    done = run(*recipe(LINES.replace('report = "told.html"', "")), *typed)
    assert done.code == 0 and len(done.out) == 1
    assert neuralshade.info("typed.nsh")["recipe"]["steps"] == 2
    assert not (folder / "told.nsh").exists()


@pytest.mark.parametrize("line, message", [
    ("report = 3", "r.toml: got report=3, need a string. It is what --report takes."),
    ("live = 1", "r.toml: got live=1, need true or false. It is what --live takes."),
    ("dump_kernels = true", "r.toml: got dump_kernels=True, need a string. It is what "
     "--dump-kernels takes."),
    ('port = "x"', "r.toml: got port='x', need a whole number. It is what --port takes."),
    ('engine = "tourch"', "engine: got 'tourch', need one of auto, torch, gpu. Did you "
     "mean torch?"),
])  # fmt: skip
def test_values_that_no_flag_has(refused, folder, line, message):
    (folder / "r.toml").write_text(line)
    assert refused("fit", "image", "a.png", "--recipe", "r.toml") == message


def test_a_list_for_a_flag_that_comes_often(refused, folder, same_message):
    (folder / "r.toml").write_text('set = "a=1"')
    (folder / "t.slang").write_text("")
    same_message(refused("fit", "shader", "t.slang", "--recipe", "r.toml"), "r.toml", "--set")


def test_what_is_neither_is_refused(refused, recipe):
    assert refused(*recipe('enginee = "torch"')).startswith("r.toml: enginee: unknown setting")


@pytest.mark.parametrize("kind, subject, name", [
    ("image", "a.png", "picture"), ("image", "a.png", "observer"), ("image", "a.png", "options"),
    ("splats", "a.png", "picture"), ("textures", "maps", "source"), ("mipmaps", "maps", "source"),
    ("shader", "t.slang", "task"), ("material", "m.toml", "observer"),
])  # fmt: skip
def test_names_of_the_fit_s_own_parameters_are_no_settings(refused, folder, kind, subject, name):
    (folder / "r.toml").write_text(f'{name} = "a"\n')
    message = refused("fit", kind, subject, "--recipe", "r.toml")
    assert message.startswith(f"r.toml: {name}: unknown setting")
