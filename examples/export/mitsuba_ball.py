"""A ball in Mitsuba 3 of what neuralshade exported to it: a material, a texture set or a picture.

    python examples/export/mitsuba_ball.py examples/export/mitsuba/rock.py -o ball.png
    python examples/export/mitsuba_ball.py MODULE.py [--variant llvm_ad_rgb] [--size 256]
        [--samples 64] [-o ball.png]

Needs mitsuba (pip install mitsuba) and nothing of neuralshade. Modules of your own come from
`neuralshade export copper.nsh --to mitsuba -o folder`. Where an llvm variant finds no LLVM,
DRJIT_LIBLLVM_PATH names its library; scalar_rgb needs none and is slow.
"""

import argparse
import importlib
import sys
from pathlib import Path

import mitsuba as mi


def material_of(module):
    """Return the scene dict of a BSDF, for each of the three."""
    if hasattr(module, "LIGHT"):
        return {"type": "twosided", "bsdf": {"type": module.PLUGIN}}
    for name, value in vars(module).items():
        if name.endswith("_principled"):
            return {"type": "twosided", "bsdf": value()}
    return {"type": "diffuse", "reflectance": {"type": module.PLUGIN}}


def scene_of(material, size):
    """Return a ball under a window and a sky."""
    to = mi.ScalarTransform4f
    window = to().look_at(origin=[-4, 4, 3], target=[0, 0, 0], up=[0, 1, 0]).scale(1.5)
    film = {"type": "hdrfilm", "width": size, "height": size, "pixel_format": "rgb"}
    camera = to().look_at(origin=[0, 1.2, 5], target=[0, 0, 0], up=[0, 1, 0])
    return mi.load_dict({
        "type": "scene",
        "integrator": {"type": "path", "max_depth": 4},
        "sensor": {"type": "perspective", "fov": 27, "to_world": camera, "film": film},
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": [0.25, 0.3, 0.4]}},
        "window": {"type": "rectangle", "to_world": window, "emitter": {
            "type": "area", "radiance": {"type": "rgb", "value": [18, 16, 14]}}},
        "ball": {"type": "sphere", "to_world": to().rotate([1, 0, 0], -90), "bsdf": material},
    })  # fmt: skip


def main():
    """Read the command line, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", type=Path)
    parser.add_argument("--variant", default="llvm_ad_rgb")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("-o", "--output", default="ball.png")
    given = parser.parse_args()
    mi.set_variant(given.variant)
    sys.path.insert(0, str(given.module.resolve().parent))
    module = importlib.import_module(given.module.stem)
    picture = mi.render(scene_of(material_of(module), given.size), spp=given.samples)
    mi.util.write_bitmap(given.output, picture)
    print(f"{given.output}: {given.size} x {given.size}")


if __name__ == "__main__":
    main()
