"""kinds/unfinished: a checkpoint in place of an asset is told whose it is, and how to go on."""

import json
import signal
from pathlib import Path

import pytest

import neuralshade
from neuralshade.asset.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.cli.main import main
from neuralshade.errors import AssetError, FitInterrupted
from neuralshade.fitting.resume_command import resume_command


def interrupt(progress):
    if progress.step >= 3:
        signal.raise_signal(signal.SIGINT)


def begun(kind, path, name="bark", recipe=None):
    progress = {"step": 1234, "seconds": 4.0, "loss": 0.1, "psnr_db": None, "share": 0.5,
                "samples_per_second": 1.0, "psnr_step": 0, "plateau_step": None, "about": 0,
                "curve": []}  # fmt: skip
    source = {"name": name, "digest": ""}
    save_checkpoint(path, kind, Checkpoint(recipe or {}, source, progress, {}))


def said(path):
    with pytest.raises(AssetError) as caught:
        neuralshade.info(path)
    return str(caught.value)


@pytest.mark.parametrize("name, text", [
    ("my copper.mtlx", '<?xml version="1.0"?>\n<!-- of neuralshade -->\n<materialx/>'),
    ("my copper.toml", "# a neuralshade stack\n[[layer]]\nkind = 'diffuse'\n"),
])  # fmt: skip
def test_a_materials_source_is_told_as_that(name, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    told = (f"{name}: got a material's source, need the asset that fit material makes of it. Make "
            f"it: neuralshade fit material '{name}'")  # fmt: skip
    assert said(name) == told
    for typed in (["info", name], ["evaluate", name, name]):
        with pytest.raises(SystemExit):
            main(typed)
        assert capsys.readouterr().err == f"neuralshade: {told}\n"


@pytest.mark.parametrize("name", ["tray.toml", "x.mtlx", "y.nsh"])
def test_other_text_is_not_told_as_a_materials_source(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("[camera]\nfov = 40\n")
    assert said(name).startswith(f"{name}: got a file that is no safetensors file, need ")
    assert said(f"none_{name}").startswith(f"none_{name}: got no such file, need ")


@pytest.mark.parametrize("kind, output", [
    ("image", "my rock.nsh"), ("splats", "my rock.nsh"), ("mipmaps", "."),
])  # fmt: skip
def test_kind_source_steps_and_command_are_named(kind, output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun(kind, "my rock.checkpoint.nsh")
    typed = f"'{output}'" if " " in output else output
    assert said("my rock.checkpoint.nsh") == (
        f"my rock.checkpoint.nsh: got an unfinished fit of {kind} to bark, 1,234 steps done, need "
        "an asset. Finish it, with the path of bark where that lies elsewhere, and with flags that "
        "are no settings, with: neuralshade "
        f"fit {kind} bark -o {typed} --resume 'my rock.checkpoint.nsh'"
    )


@pytest.mark.parametrize("kind, place", [("material", "MATERIAL"), ("shader", "TASK")])
def test_a_name_that_is_no_path_does_not_stand_for_one(kind, place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun(kind, "v.checkpoint.nsh", "velvet")
    assert said("v.checkpoint.nsh").endswith(
        f"Finish it, with the file or folder of velvet for {place}, and with flags that are no "
        f"settings, with: neuralshade fit {kind} {place} -o v.nsh --resume v.checkpoint.nsh"
    )


def test_info_answers(tmp_path, monkeypatch, capsys):
    """It said all that as an error, with exit code 1."""
    monkeypatch.chdir(tmp_path)
    begun("image", "x.checkpoint.nsh", "bark.png", {"steps": 5000, "seconds": 20.0})
    command = "neuralshade fit image bark.png -o x.nsh --resume x.checkpoint.nsh"
    main(["info", "x.checkpoint.nsh"])
    size = Path("x.checkpoint.nsh").stat().st_size
    assert capsys.readouterr() == ("\n".join([
        "kind   image, an unfinished fit",
        f"size   {size:,} bytes",
        "of     bark.png",
        "step   1,234 of 5,000, 4.0 s of 20",
        "go on  with the path of bark.png where that lies elsewhere, and with flags that are no "
        "settings:",
        f"       {command}\n",
    ]), "")  # fmt: skip
    main(["info", "x.checkpoint.nsh", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["unfinished"], told["picture"]) == ("image", True, "bark.png")
    assert (told["step"], told["resume"], told["bytes"]) == (1234, command, size)


def test_the_page_has_the_line_of_a_fit_that_was_interrupted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs/resuming.md").read_text()
    command = resume_command("image", Path("photo.checkpoint.nsh"), "photo.png", Path("photo.nsh"),
                             {})  # fmt: skip
    assert ("    neuralshade: interrupted at step 1234: the fit is kept in photo.checkpoint.nsh. "
            f"Go on with: {command}\n") in page  # fmt: skip


def test_a_checkpoint_by_another_name_is_not_to_be_written_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun("image", "kept.nsh")
    assert said("kept.nsh").endswith("-o kept_finished.nsh --resume kept.nsh")


def test_a_name_cannot_write_to_the_terminal(tmp_path):
    begun("image", tmp_path / "x.checkpoint.nsh", "a\x1b[2Jb")
    assert "\x1b" not in said(tmp_path / "x.checkpoint.nsh")


def test_a_checkpoint_that_is_not_whole_is_refused(tmp_path):
    write_asset_file(tmp_path / "x.nsh", AssetFile({"kind": "image-checkpoint"}, {}))
    assert said(tmp_path / "x.nsh").endswith("Start the fit again.")


def test_the_command_names_what_a_fit_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    photo = Path(__file__).parent.parent / "data" / "photo.png"
    Path("photo.png").write_bytes(photo.read_bytes())
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_image("photo.png", "x.nsh", observer=interrupt, steps=500, hidden_width=8,
                              encoding="dense_grid:width=8,height=8")  # fmt: skip
    command = str(caught.value).partition("Go on with: ")[2]
    told = said("x.checkpoint.nsh").partition("with: ")[2]
    assert command.startswith("neuralshade fit image photo.png -o x.nsh")
    assert told == "neuralshade fit image photo.png -o x.nsh --resume x.checkpoint.nsh"


@pytest.mark.parametrize("progress", [{}, {"step": None}, {"step": -1}, {"step": 1.5}])
def test_a_checkpoint_that_does_not_say_its_step_is_refused(tmp_path, progress):
    """It ended in a KeyError; and a resumed fit would have begun at step 0."""
    path = tmp_path / "x.checkpoint.nsh"
    source = {"name": "bark", "digest": ""}
    save_checkpoint(path, "image", Checkpoint({}, source, progress, {}))
    with pytest.raises(AssetError, match=r"step.*Start the fit again"):
        neuralshade.info(path)
    with pytest.raises(AssetError, match=r"step.*Start the fit again"):
        load_checkpoint(path, "image")
    for flags in ([], ["--json"]):
        with pytest.raises(SystemExit) as caught:
            main(["info", str(path), *flags])
        assert caught.value.code == 1
