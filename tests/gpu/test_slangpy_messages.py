"""gpu/slangpy_messages: what the compiler warns of is no part of a command's output."""

import json
import subprocess
import sys

import pytest

TASK = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] [Start(0.25)] float grey;
    [Differentiable]
    float loss(no_diff Thread thread)
    {
#if MISSING_HERE
        return 1.0;
#endif
        return (grey - 0.5) * (grey - 0.5);
    }
}
"""
LOADED = """
import logging, sys
{before}
from neuralshade.gpu.device import _load_slangpy
spy = _load_slangpy()
spy.log_info("told")
spy.log_warn("warned of")
spy.log_error("gone wrong")
"""


@pytest.fixture
def fitted(device, tmp_path):
    """Give a function that fits a task of which the compiler warns, in a process of its own."""
    (tmp_path / "t.slang").write_text(TASK)

    def fitted(*flags):
        command = [sys.executable, "-m", "neuralshade", "fit", "shader", "t.slang", "-o", "t.nsh",
                   "--steps", "2", "--threads", "4", "--device", device.info.type.name]  # fmt: skip
        done = subprocess.run([*command, *flags], cwd=tmp_path, capture_output=True, text=True,
                              check=True)  # fmt: skip
        return done.stdout, done.stderr

    return fitted


def test_a_warning_of_the_compiler_is_not_among_results(fitted):
    out, err = fitted("--json")
    assert json.loads(out)["steps"] == 2
    lines = err.splitlines()
    first = lines.index("Slang compiler warnings:")
    assert "undefined identifier" in lines[first + 1] and "t.slang:8:5" in lines[first + 2]
    assert "MISSING_HERE" in err and "\033" not in err and not any("--'" in one for one in lines)


@pytest.mark.slow
def test_nothing_is_said_where_it_shall_be_quiet(fitted):
    assert fitted("--quiet") == ("", "")


def loaded(before=""):
    done = subprocess.run([sys.executable, "-c", LOADED.format(before=before)], check=True,
                          capture_output=True, text=True)  # fmt: skip
    return done.stdout, done.stderr


def test_messages_are_in_the_log():
    assert loaded() == ("", "told\nwarned of\ngone wrong\n")
    before = "logging.getLogger('neuralshade').setLevel(logging.ERROR)"
    assert loaded(before) == ("", "told\ngone wrong\n")


def test_a_program_that_loaded_it_before_has_them_as_it_chose():
    out, err = loaded("import slangpy")
    assert "warned of" in out and "warned of" not in err
    kept = "import slangpy; slangpy.Logger.get().remove_all_outputs()"
    assert loaded(kept) == ("", "")
