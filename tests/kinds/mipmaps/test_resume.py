"""kinds/mipmaps/fit: an interrupted fit goes on as if nothing had stopped it."""

import shlex
import signal

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint, save_checkpoint
from neuralshade.cli.main import commands
from neuralshade.errors import AssetError, ConfigError

FEW = {"steps": 40, "pool": 16, "pairs": 4, "reuse": 2}


@pytest.fixture
def rock(tmp_path, monkeypatch):
    """Stand beside a folder with maps of 12 x 8 texels."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my rock").mkdir()
    rng = np.random.default_rng(0)
    row, col = np.mgrid[:8, :12]
    normal = np.stack([np.sin(2 * col + row), np.cos(row), np.full((8, 12), 3)], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    maps = {"albedo": rng.random((8, 12, 3)), "normal": (normal + 1) / 2,
            "roughness": rng.uniform(0.3, 0.9, (8, 12, 1))}  # fmt: skip
    for name, values in maps.items():
        path = tmp_path / f"my rock/{name}.png"
        neuralshade.save_picture(path, values.astype(np.float32), "srgb")
    return tmp_path


def interrupted(*arguments, step=10, number=signal.SIGINT, options=(), **settings):
    """Fit until ``step``, and return the message of the interruption."""
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_mipmaps(
            *arguments,
            observer=lambda p: p.step >= step and signal.raise_signal(number),
            options=FitOptions(**dict(options)),
            **settings,
        )
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_resumed_has_the_bits_of_uninterrupted(device, rock):
    whole = neuralshade.fit_mipmaps("my rock", "whole", **FEW)
    interrupted("my rock", "parted", **FEW)
    options = FitOptions(resume="parted/my rock.checkpoint.nsh")
    parted = neuralshade.fit_mipmaps("my rock", "parted", options=options)
    assert (parted.steps, parted.kept) == (whole.steps, whole.kept)
    assert parted.errors == whole.errors
    first, other = (neuralshade.load(result.asset).tensors for result in (whole, parted))
    for name, values in first.items():
        np.testing.assert_array_equal(other[name], values)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_a_checkpoint_and_no_asset(device, rock, number):
    interrupted("my rock", "out", step=5, number=number, **FEW)
    assert [path.name for path in (rock / "out").iterdir()] == ["my rock.checkpoint.nsh"]
    checkpoint = load_checkpoint("out/my rock.checkpoint.nsh", "mipmaps")
    assert checkpoint.progress["step"] >= 5 and checkpoint.source["name"] == "my rock"


@pytest.mark.slow
def test_interrupted_while_levels_are_chosen(device, rock, monkeypatch):
    """That takes a while: what was trained is kept, and resuming goes straight to it."""

    def press(*arguments, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr("neuralshade.kinds.mipmaps.fit.judge", press)
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_mipmaps("my rock", "out", **FEW)
    assert str(caught.value).startswith(
        "interrupted after step 40: the fit is kept in out/my rock.checkpoint.nsh. Go on with: "
    )
    monkeypatch.undo()
    monkeypatch.chdir(rock)
    commands.main([*command_of(str(caught.value))[1:], "--quiet"], standalone_mode=False)
    whole = neuralshade.fit_mipmaps("my rock", "whole", **FEW)
    parted = neuralshade.load("out/my rock.nsh")
    assert parted.header.training["steps"] == 40
    for name, values in neuralshade.load(whole.asset).tensors.items():
        np.testing.assert_array_equal(parted.tensors[name], values)


def test_checkpoints_left_behind(device, rock):
    """None of a fit that was not interrupted, nor of one that was gone on with to its end."""
    neuralshade.fit_mipmaps("my rock", "whole", **FEW)
    assert not list((rock / "whole").glob("*checkpoint*"))
    interrupted("my rock", "out", **FEW)
    resume = "out/my rock.checkpoint.nsh"
    neuralshade.fit_mipmaps("my rock", "out", options=FitOptions(resume=resume))
    assert not (rock / resume).exists()


def command_of(message):
    return shlex.split(message.partition("Go on with: ")[2])


def parsed(words):
    """Return what the command line takes of a printed command; click refuses what it can't."""
    assert words[:3] == ["neuralshade", "fit", "mipmaps"]
    return commands.commands["fit"].get_command(None, "mipmaps").make_context("x", words[3:]).params


def test_the_command_can_be_pasted(device, rock):
    asked = {"normal_convention": "opengl", "formats": ("png", "dds-bc")}
    message = interrupted("my rock", "out dir", options={"report": "r.html"}, **asked, **FEW)
    step = load_checkpoint("out dir/my rock.checkpoint.nsh", "mipmaps").progress["step"]
    assert message == (
        f"interrupted at step {step}: the fit is kept in out dir/my rock.checkpoint.nsh. Go on "
        "with: neuralshade fit mipmaps 'my rock' -o 'out dir' --report r.html "
        "--normal-convention opengl --format png --format dds-bc --resume "
        "'out dir/my rock.checkpoint.nsh'"
    )
    given = parsed(command_of(message))
    assert (given["source"], given["output"]) == (("my rock",), "out dir")
    assert (given["format"], given["report"]) == (("png", "dds-bc"), "r.html")


def test_single_maps_are_in_the_command(device, rock):
    maps = {name: f"my rock/{name}.png" for name in ("albedo", "normal", "roughness")}
    words = command_of(interrupted(None, "out", maps=maps, **FEW))
    given = parsed(words)
    assert given["source"] == () and {name: given[name] for name in maps} == maps
    assert (given["output"], given["resume"]) == ("out", "out/my rock.checkpoint.nsh")
    commands.main(words[1:], standalone_mode=False)
    assert (rock / "out/my rock.nsh").exists() and (rock / "out/albedo.dds").exists()


def test_a_map_beside_a_folder_is_in_the_command(device, rock):
    maps = {"roughness": "my rock/albedo.png", "metallic": None}
    (rock / "my rock/roughness.png").rename(rock / "rough.png")
    message = interrupted("my rock", "out", maps={**maps, "roughness": "rough.png"}, **FEW)
    given = parsed(command_of(message))
    assert (given["source"], given["roughness"], given["metallic"]) == (
        ("my rock",), "rough.png", None
    )  # fmt: skip


@pytest.mark.parametrize("settings, said", [
    ({}, "source"), ({"formats": ("png",)}, "source, formats=('png',)"),
])  # fmt: skip
def test_message_for_maps_in_memory(device, rock, settings, said):
    textures = neuralshade.load_texture_set("my rock")
    message = interrupted(textures, "out", **settings, **FEW)
    place = "out/my rock.checkpoint.nsh"
    assert message.endswith(
        f"Go on with: fit_mipmaps({said}, options=FitOptions(resume='{place}'))"
    )


def test_message_for_maps_that_cannot_be_typed(device, rock):
    maps = {"roughness": {"path": "my rock/albedo.png", "channel": "r"}}
    message = interrupted("my rock", "out", maps=maps, **FEW)
    assert "Go on with: fit_mipmaps(source, maps=maps, options=FitOptions(resume=" in message


def refusal(kind, *arguments, **settings):
    with pytest.raises(kind) as caught:
        neuralshade.fit_mipmaps(
            *arguments, options=FitOptions(resume="out/my rock.checkpoint.nsh"), **settings
        )
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_what_does_not_fit_the_checkpoint_is_refused(device, rock):
    interrupted("my rock", "out", **FEW)
    place = "out/my rock.checkpoint.nsh"
    assert refusal(ConfigError, "my rock", "out", pool=32) == (
        f"{place}: got pool=32, need 16 as the fit was started with. Leave --pool out."
    )
    assert refusal(ConfigError, "my rock", "out", normal_convention="directx") == (
        f"{place}: got a checkpoint of 'my rock', need one of 'my rock' as it is now. "
        "Resume with the same maps."
    )
    kept = load_checkpoint(place, "mipmaps")
    for name, broken in {"values": torch.zeros(7, 5), "moments": None}.items():
        state = dict(kept.state)
        state.pop(name)
        if broken is not None:
            state[name] = broken
        save_checkpoint(
            place, "mipmaps", type(kept)(kept.recipe, kept.source, kept.progress, state)
        )
        assert refusal(AssetError, "my rock", "out") == (
            f"{place}: got a state that does not fit its recipe, need a whole checkpoint. Start "
            "the fit again."
        )
    assert not (rock / "out/my rock.nsh").exists()
