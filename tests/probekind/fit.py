"""Fits of a probe: the input's words say what goes wrong in which attempts."""

import errno
import json
import os
import pathlib
import signal
import time

import numpy as np

from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.base.interrupt import Interruption
from neuralshade.errors import FitInterrupted, PictureError
from neuralshade.fitting.output_checks import checkpoint_path

ZEROS = {"steps": 1, "seconds": 0.0}


def fit_probe(picture, output, *, options, **settings):
    """Do what the JSON file ``picture`` says, then write its ``value`` as an asset.

    ``sleep``: seconds; ``gate``: a file with a number, below which a ``value`` may end;
    ``die``, ``memory``, ``full``, ``bug``: in so many first attempts; ``refuse``: always;
    ``gpu``: whether a line with the process and its GPU is written;
    ``pids``: folder with a file for each process;
    ``tries``: whether a line for each attempt is appended beside it.
    """
    try:
        words = json.loads(pathlib.Path(picture).read_text())
    except FileNotFoundError as error:
        raise PictureError(f"{picture}: got no such file, need a probe. Check the path.") from error
    with Interruption() as interruption:  # first: what is noted below can be interrupted
        attempt = _noted(words, picture, options.resume is not None)
        hurried = os.path.exists(f"{picture}.hurry")
        end = time.monotonic() + (0.0 if hurried else words.get("sleep", 0.0))
        while (time.monotonic() < end or _shut(words)) and not interruption.requested:
            time.sleep(0.002)
    if interruption.requested:
        checkpoint_path(pathlib.Path(output)).write_text("here it was")
        raise FitInterrupted("interrupted")
    _fault(words, attempt)
    header = {"kind": "probe", "recipe": {}, "training": ZEROS, "quality": {"psnr_db": 30.0}}
    write_asset_file(output, AssetFile(header, {"value": np.array([words.get("value", 0)])}))
    checkpoint_path(pathlib.Path(output)).unlink(missing_ok=True)


def _noted(words, picture, resumed):
    """Note this attempt where the words say so; return its number."""
    attempt = 1
    if words.get("tries"):
        with open(f"{picture}.tries", "a+", encoding="ascii") as tries:
            tries.write(f"{os.getpid()} {resumed}\n")
            tries.seek(0)
            attempt = len(tries.readlines())
    if words.get("gpu"):
        with open(pathlib.Path(picture).parent / "gpus", "a", encoding="ascii") as gpus:
            gpus.write(f"{os.getpid()} {os.environ['CUDA_VISIBLE_DEVICES']}\n")
    if "pids" in words:
        pathlib.Path(words["pids"], str(os.getpid())).touch()
    return attempt


def _shut(words):
    """Return whether the gate holds this job: a test's turn does not depend on seconds."""
    if "gate" not in words:
        return False
    return words["value"] >= int(pathlib.Path(words["gate"]).read_text() or 0)


def _fault(words, attempt):
    if attempt <= words.get("die", 0):
        os.kill(os.getpid(), signal.SIGKILL)
    if attempt <= words.get("memory", 0):
        raise MemoryError
    if attempt <= words.get("full", 0):
        raise OSError(errno.ENOSPC, "No space left on device", "disk")
    if attempt <= words.get("bug", 0):
        raise KeyError("bug")
    if words.get("refuse"):
        raise PictureError("probe: got refuse, need none. Leave it out.")
