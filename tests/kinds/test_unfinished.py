"""kinds/unfinished: a checkpoint in place of an asset is told whose it is, and how to go on."""

import signal
from pathlib import Path

import pytest

import neuralshade
from neuralshade.asset.checkpoint import Checkpoint, save_checkpoint
from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.errors import AssetError, FitInterrupted


def interrupt(progress):
    if progress.step >= 3:
        signal.raise_signal(signal.SIGINT)


def begun(kind, path, name="bark"):
    progress = {"step": 1234, "seconds": 4.0, "loss": 0.1, "psnr_db": None, "share": 0.5,
                "samples_per_second": 1.0, "psnr_step": 0, "plateau_step": None, "about": 0,
                "curve": []}  # fmt: skip
    save_checkpoint(path, kind, Checkpoint({}, {"name": name, "digest": ""}, progress, {}))


def said(path):
    with pytest.raises(AssetError) as caught:
        neuralshade.info(path)
    return str(caught.value)


@pytest.mark.parametrize("kind, output", [
    ("image", "my rock.nsh"), ("splats", "my rock.nsh"), ("mipmaps", "."),
    ("shader", "my rock.nsh"),
])  # fmt: skip
def test_kind_source_steps_and_command_are_named(kind, output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun(kind, "my rock.checkpoint.nsh")
    typed = f"'{output}'" if " " in output else output
    assert said("my rock.checkpoint.nsh") == (
        f"my rock.checkpoint.nsh: got an unfinished fit of {kind} to bark, 1,234 steps done, need "
        "an asset. Finish it, with the path of bark where that lies elsewhere, with: neuralshade "
        f"fit {kind} bark -o {typed} --resume 'my rock.checkpoint.nsh'"
    )


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
