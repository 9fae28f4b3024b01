"""kinds/shader/fit: an interrupted fit goes on, and only the same one."""

import shlex
import signal

import numpy as np
import pytest

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.asset.checkpoint import load_checkpoint
from neuralshade.cli.main import commands
from neuralshade.errors import ConfigError


def interrupted(task, output, step=10, number=signal.SIGINT, options=None, **given):
    with pytest.raises(FitInterrupted) as caught:
        neuralshade.fit_shader(task, output, options=FitOptions(**(options or {})),
                               observer=lambda p: p.step >= step and signal.raise_signal(number),
                               **given)  # fmt: skip
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_resumed_gives_the_same(tmp_path, tint, number, values_of, brief):
    """Equal but for sums of floats in any order, which training of this length hardly spreads."""
    values = values_of(tint="0.4,0.5,0.6")
    whole = neuralshade.fit_shader(tint, tmp_path / "w.nsh", values=values, seed=3, **brief)
    message = interrupted(tint, tmp_path / "x.nsh", number=number, values=values, seed=3, **brief)
    step = load_checkpoint(tmp_path / "x.checkpoint.nsh", "shader").progress["step"]
    assert 10 <= step < 40 and not (tmp_path / "x.nsh").exists()
    assert message == (
        f"interrupted at step {step}: the fit is kept in {tmp_path}/x.checkpoint.nsh. Go on with: "
        f"neuralshade fit shader {tint} -o {tmp_path}/x.nsh --set photo={values['photo']} "
        f"--set map.size=5x3 --resume {tmp_path}/x.checkpoint.nsh"
    )
    command = commands.commands["fit"].get_command(None, "shader")
    words = shlex.split(message.partition("Go on with: ")[2])[3:]
    pairs = command.make_context("shader", words).params["set"]
    values = dict(pair.split("=", 1) for pair in pairs)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    parted = neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values, options=options)
    assert parted.steps == 40
    for name, array in whole.members.items():
        np.testing.assert_allclose(parted.members[name], array, atol=2e-3, err_msg=name)
    recipes = [neuralshade.info(tmp_path / f"{name}.nsh")["recipe"] for name in "wx"]
    assert recipes[0] == recipes[1]


@pytest.mark.slow  # as above, with larger kernels
def test_encodings_are_resumed_too(tmp_path, encoded, save_smooth, brief):
    values = {"photo": save_smooth()}
    whole = neuralshade.fit_shader(encoded, tmp_path / "w.nsh", values=values, seed=3, **brief)
    interrupted(encoded, tmp_path / "x.nsh", values=values, seed=3, **brief)
    options = FitOptions(resume=tmp_path / "x.checkpoint.nsh")
    parted = neuralshade.fit_shader(encoded, tmp_path / "x.nsh", values=values, options=options)
    assert parted.steps == 40
    for name, array in whole.members.items():
        np.testing.assert_allclose(parted.members[name], array, atol=2e-3, err_msg=name)


@pytest.mark.slow
def test_the_command_where_values_are_in_memory(tmp_path, tint, brief):
    photo = neuralshade.picture_from_array(np.zeros((4, 4, 3), np.uint8))
    values = {"photo": photo, "map.size": (2, 2), "map": np.zeros((2, 2, 3))}
    message = interrupted(tint, tmp_path / "x.nsh", values=values, **brief)
    assert message.endswith(
        "Go on with: fit_shader(task, values=values, "
        f"options=FitOptions(resume='{tmp_path}/x.checkpoint.nsh'))"
    )


def test_resuming_something_else_is_refused(
    tmp_path, tint, values_of, refusal, brief, same_message
):
    values = values_of()
    interrupted(tint, tmp_path / "x.nsh", values=values, **brief)
    place = tmp_path / "x.checkpoint.nsh"
    for change in ({"map.size": (5, 4)}, {"tint.rate": 0.1}, {"strength": 2}):
        message = refusal(
            ConfigError,
            neuralshade.fit_shader,
            tint,
            tmp_path / "x.nsh",
            values=values | change,
            options=FitOptions(resume=place),
        )
        same_message(message, place, "Resume")
