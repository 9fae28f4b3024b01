"""cli: --help groups what a fit takes, a bare verb shows help, and shells complete values."""

import itertools
import re

import click
import pytest
from click.shell_completion import ShellComplete, get_completion_class

from neuralshade.cli import early
from neuralshade.cli.completion import Text
from neuralshade.cli.fit import command_of
from neuralshade.cli.flags import APIS, COMPLETED, OPTIONS, RUNNING, parameters_of
from neuralshade.cli.main import commands
from neuralshade.engine.engine_choice import ENGINES, KERNELS
from neuralshade.fitting.command import GROUPS
from neuralshade.fitting.recipe import ENDS, fields_of
from neuralshade.gpu import open as opening
from neuralshade.kinds import all_kinds, fit_verb
from neuralshade.model.registry import ENCODINGS

FITTED = [kind for kind in all_kinds() if kind.fits is not None]


def sections(kind):
    command = command_of(kind)
    found = command.sections(click.Context(command))
    return {title: [name.split()[0].strip(",") for name, _ in rows]
            for title, rows in found.items()}  # fmt: skip


@pytest.mark.parametrize("kind", FITTED, ids=lambda kind: kind.name)
def test_every_flag_stands_under_one_heading(kind):
    found = sections(kind)
    assert list(found) == [title for title in GROUPS.values() if title in found]
    listed = [flag for flags in found.values() for flag in flags]
    known = [p.opts[0] for p in parameters_of(kind)
             if isinstance(p, click.Option) and not p.hidden]  # fmt: skip
    assert sorted(listed) == sorted([*known, "--help-all", "--help"])
    for field in fields_of(kind.recipe):
        title = GROUPS[field.metadata["group"]]
        assert f"--{field.name.replace('_', '-')}" in found[title]
    assert [f"--{name}" for name in ENDS] == found["When it ends"][:2]
    assert "--rate-final" in found["Training"] and "--report" not in found["Running"]


@pytest.mark.parametrize("verb", [*[kind.name for kind in FITTED], "materials"])
def test_help_is_a_page_of_the_flags_that_people_use(run, monkeypatch, verb):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("fit", verb, "--help").out
    command = command_of(fit_verb(verb))
    usual = command.sections(click.Context(command), every=False)
    flags = [name.split()[0].strip(",") for rows in usual.values() for name, _ in rows]
    assert len(lines) <= 60 and 12 <= len(flags) <= 18, (len(lines), flags)
    assert all(any(line.startswith(f"  {flag}") for line in lines) for flag in flags)
    every = run("fit", verb, "--help-all").out
    assert len(every) > len(lines) + 20


@pytest.mark.parametrize("verb", [*[kind.name for kind in FITTED], "materials"])
def test_descriptions_are_sentences_with_their_defaults(verb):
    command = command_of(fit_verb(verb))
    found = command.sections(click.Context(command))
    for flag, about in itertools.chain(*found.values()):
        assert re.match(r"[A-Z][^.]", about) and not about.startswith("Of "), (flag, about)
        assert re.search(r"[.\])]$", about) and "[default: ]" not in about, (flag, about)
        assert "; default: ]" not in about and "default: )" not in about, (flag, about)


def test_help_begins_with_what_is_fitted_and_keeps_its_columns(run):
    lines = run("fit", "image", "--help-all").out
    titles = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert titles == [f"{title}:" for title in GROUPS.values()]
    assert {line.index("N  ") for line in lines if line.startswith("  --steps N")} == {10}
    starts = {len(line) - len(line.lstrip()) for line in lines if line.startswith("     ")}
    assert len(starts) == 1  # every continuation in the one right column


def test_flags_of_a_picture_stand_where_they_are_looked_for(run):
    (image,) = [kind for kind in FITTED if kind.name == "image"]
    found = sections(image)
    ends = ["--steps", "--seconds", "--until", "--plateau-db", "--target-psnr"]
    assert sorted(found["When it ends"]) == sorted(ends)
    assert "--transform" in found["What is fitted"]


def test_that_a_finished_asset_may_be_gone_on_with_is_told(run):
    text = " ".join(" ".join(run("fit", "image", "--help").out).split())
    assert "a finished asset to train further." in text


@pytest.mark.parametrize("arguments", [(), ("fit",)])
def test_without_a_verb_help_is_shown(run, arguments):
    bare, asked = run(*arguments), run(*arguments, "--help")
    assert (bare.code, bare.err, bare.out) == (0, [], asked.out)
    assert bare.out[0].startswith("Usage: neuralshade")


def completions(*words, typed=""):
    """Return what a shell is offered for ``typed`` after ``words``, with the type of each."""
    shell = ShellComplete(commands, {}, "neuralshade", "_NEURALSHADE_COMPLETE")
    return [(item.value, item.type) for item in shell.get_completions(list(words), typed)]


@pytest.mark.parametrize("words, typed, offered", [
    (("fit",), "", [kind.name for kind in FITTED] + ["materials"]),
    (("fit", "image", "--preset"), "rt", ["rtxns", "rtxns-fast"]),
    (("fit", "image", "--loss"), "l", ["l1", "l2", "log_l2", "log_l1"]),
    (("fit", "image", "--engine"), "", list(ENGINES)),
    (("fit", "image", "--kernels"), "", list(KERNELS)),
    (("fit", "splats", "--device"), "", list(opening.APIS)),
    (("fit", "mipmaps", "--format"), "dds", ["dds", "dds-bc"]),
    (("fit", "textures", "--normal-convention"), "", ["opengl", "directx"]),
    (("decode", "a.nsh", "--block"), "bc", ["bc7", "bc6h", "bc5", "bc4", "bc1"]),
    (("fit", "shader", "--steps"), "", []),
    (("fit", "image", "--encoding"), "de", ["dense_grid"]),
    (("render", "a.nsh", "--show"), "diff", ["difference"]),
])  # fmt: skip
def test_names_are_completed(words, typed, offered):
    assert [name for name, _ in completions(*words, typed=typed)] == offered


@pytest.mark.parametrize("words, what", [
    (("fit", "image"), "file"), (("fit", "textures"), "file"), (("fit", "image", "-o"), "file"),
    (("fit", "image", "--recipe"), "file"), (("fit", "image", "--resume"), "file"),
    (("fit", "mipmaps", "--share"), "file"), (("fit", "mipmaps", "-o"), "dir"),
    (("fit", "image", "--snapshots"), "dir"), (("render",), "file"), (("view",), "file"),
    (("report", "a.nsh"), "file"), (("decode", "a.nsh", "-o"), "dir"),
])  # fmt: skip
def test_files_and_folders_are_left_to_the_shell(words, what):
    assert completions(*words, typed="ph") == [("ph", what)]


def test_every_choice_of_a_recipe_is_completed():
    for kind in FITTED:
        types = {p.name: p.type for p in parameters_of(kind)}
        for field in fields_of(kind.recipe):
            if field.metadata["choices"]:
                kept = types[field.name]
                assert isinstance(kept, Text) and kept.names == field.metadata["choices"]


@pytest.mark.parametrize("shell, typed, offered", [
    ("bash", "--preset = gr", "grid"), ("bash", "--preset gr", "grid"),  # it cuts words at a =
    ("zsh", "--preset=gr", "--preset=grid"), ("fish", "--preset=gr", "--preset=grid"),
])  # fmt: skip
def test_values_behind_an_equals_sign_are_completed(monkeypatch, shell, typed, offered):
    words = f"neuralshade fit image {typed}"
    monkeypatch.setenv("COMP_WORDS", words)
    last = words.split()[-1]
    monkeypatch.setenv("COMP_CWORD", last if shell == "fish" else str(len(words.split()) - 1))
    complete = get_completion_class(shell)(commands, {}, "neuralshade", "_NEURALSHADE_COMPLETE")
    items = complete.get_completions(*complete.get_completion_args())
    assert [item.value for item in items] == [offered]


def test_every_encoding_is_completed():
    assert sorted(COMPLETED["encoding"]) == sorted(["auto", *ENCODINGS])


def test_what_is_told_of_apis_and_options_is_so():
    assert opening.APIS == APIS and set(RUNNING) < set(OPTIONS) and early.ENGINES == ENGINES


def test_a_shell_is_given_its_script(folder, start):
    process = start(cwd=folder, environment={"_NEURALSHADE_COMPLETE": "bash_source"})
    out, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (0, "") and "complete -o nosort" in out


def test_completion_loads_no_pytorch(folder, start):
    environment = {"_NEURALSHADE_COMPLETE": "bash_complete", "COMP_CWORD": "4",
                   "COMP_WORDS": "neuralshade fit image --loss ", "PYTHONVERBOSE": "1"}  # fmt: skip
    out, err = start(cwd=folder, environment=environment).communicate(timeout=600)
    assert "plain,l2" in out and "import 'neuralshade.cli.fit'" in err
    assert "import 'torch'" not in err and "import 'numpy'" not in err
