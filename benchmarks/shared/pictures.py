"""Where benchmarks find their pictures."""

import os
from pathlib import Path

DATA = Path("../shared/data")
VARIABLE = "NEURALSHADE_DATA"


def data_folder() -> Path:
    """Return the folder that NEURALSHADE_DATA names, or ../shared/data."""
    return Path(os.environ.get(VARIABLE, DATA)).absolute()


def find_pictures(names: list[str]) -> dict[str, Path]:
    """Return those of ``names`` that are there, saying which are not.

    Looked for anywhere below the folder that NEURALSHADE_DATA names, or ../shared/data.
    """
    folder = data_folder()
    found = {}
    for name in names:
        places = sorted(folder.rglob(name))
        if places:
            found[name] = places[0]
        else:
            print(f"left out: no {name} below {folder}; name a folder by {VARIABLE}")
    return found
