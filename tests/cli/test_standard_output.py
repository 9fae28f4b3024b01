"""cli: a standard output that takes nothing more ends in one line or in silence."""

import os
import subprocess

import numpy as np
import pytest

import neuralshade

VERBS = {
    "info": ("info", "{asset}"),
    "evaluate": ("evaluate", "{asset}", "black.png"),
    "evaluate --json": ("evaluate", "{asset}", "black.png", "--json"),
    "--help": ("fit", "image", "--help"),
}


# a process each, most of whose time loads PyTorch; what is printed takes one way for all verbs
SLOW = ("info", "evaluate", "evaluate --json")
EACH = [pytest.param(verb, marks=pytest.mark.slow if verb in SLOW else ()) for verb in VERBS]


@pytest.fixture
def begin(folder, start, fitted_asset):
    """Give a function that starts a verb with a standard output of its own."""
    neuralshade.save_picture("black.png", np.zeros((6, 5, 3), np.float32), "srgb")

    def begin(verb, **options):
        arguments = [word.format(asset=fitted_asset) for word in VERBS[verb]]
        return start(*arguments, cwd=folder, **options)

    return begin


@pytest.mark.parametrize("verb", EACH)
def test_a_reader_that_has_seen_enough(begin, verb):
    """As in neuralshade info a.nsh | true."""
    process = begin(verb, stdout=subprocess.PIPE)
    process.stdout.close()
    process.stdout = None
    assert (process.communicate(timeout=600)[1], process.returncode) == ("", 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("verb", EACH)
def test_a_full_disk(begin, verb):
    with open("/dev/full", "w") as full:
        process = begin(verb, stdout=full)
    assert (process.communicate(timeout=600)[1], process.returncode) == (
        "neuralshade: standard output: got 'No space left on device', need room for the output. "
        "Send it elsewhere.\n",
        1,
    )


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["info", EACH[1]])
def test_a_closed_standard_output(begin, verb):
    """As in neuralshade info a.nsh >&-: there is nobody to tell, and that is no error."""
    process = begin(verb, stdout=None, preexec_fn=lambda: os.close(1))
    assert (process.communicate(timeout=600)[1], process.returncode) == ("", 0)
