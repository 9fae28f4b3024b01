"""Writes material.nsh beside itself, from the paint of the fixtures.

To be run again where the form of the file changes, as long as no release has it.
"""

import sys
from pathlib import Path

import neuralshade
from neuralshade.kinds.material.fit import fit_material

PLACE = Path(__file__).parent
sys.path.insert(0, str(PLACE.parent))
FEW = {"size": 8, "steps": 60, "batch": 256, "hidden_width": 16, "seed": 3}


if __name__ == "__main__":
    from fixtures.small_material import paint_reference

    asset = PLACE / "material.nsh"
    fit_material(paint_reference(), asset, **FEW)
    print(neuralshade.info(asset)["quality"])
