"""Writes textures.nsh and textures.checkpoint.nsh beside itself, from the maps there.

To be run again where the form of these files changes, as long as no release has it.
"""

import contextlib
import signal
import sys
from pathlib import Path

import neuralshade
from neuralshade import FitInterrupted, FitOptions
from neuralshade.kinds.textures.fit import fit_textures

PLACE = Path(__file__).parent
sys.path.insert(0, str(PLACE.parent))
FEW = {"steps": 60, "batch": 256, "hidden_width": 16, "precision": "float32", "seed": 3}
OPTIONS = FitOptions(engine="torch", device="cpu")


def interrupt(progress):
    """End a fit after its first look."""
    if progress.step >= 1:
        signal.raise_signal(signal.SIGINT)


if __name__ == "__main__":
    from fixtures.texture_sets import stored_set

    asset = PLACE / "textures.nsh"
    with contextlib.suppress(FitInterrupted):
        fit_textures(stored_set(), asset, options=OPTIONS, observer=interrupt, **FEW)
    fit_textures(stored_set(), PLACE / "whole.nsh", options=OPTIONS, **FEW)
    (PLACE / "whole.nsh").replace(asset)
    print(neuralshade.info(asset)["quality"])
