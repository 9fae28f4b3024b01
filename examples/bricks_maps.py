"""Draw the bricks of ``neuralshade sample bricks`` at any size: five maps in a folder.

python examples/bricks_maps.py bricks [--size 512]
"""

import argparse
from pathlib import Path

from neuralshade.verbs.sample.sample import write_maps


def main() -> None:
    """Draw the maps, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=512, help="pixels a side")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    write_maps(asked.folder, asked.size)


if __name__ == "__main__":
    main()
