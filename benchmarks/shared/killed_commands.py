"""Commands that soak_kills.py kills, and the files that they read."""

import shutil
from pathlib import Path

import numpy as np
from PIL import Image

DATA = Path(__file__).parents[2] / "tests/data"
CASES = {  # commands in a folder that `prepared` has filled, without --resume
    "image": "fit image photo.png -o x.nsh --steps 400 --preset tiny --batch 64",
    "image, all outputs": "fit image photo.png -o x.nsh --steps 400 --preset tiny --batch 64 "
    "--report x.html --snapshots snaps --movie x.gif --events x.jsonl --tensorboard log",
    "splats": "fit splats photo.png -o x.nsh --count 20 --steps 60 --report x.html",
    "mipmaps": "fit mipmaps maps -o x --steps 40 --pool 16 --pairs 4 --reuse 2",
    "textures": "fit textures maps -o x.nsh --steps 300 --batch 256 --hidden-width 16 "
    "--engine torch",
    "shader": "fit shader tint.slang -o x.nsh --set photo=photo.png --set map.size=5x3 --steps 40 "
    "--threads 8x8 --size 18x12 --snapshots snaps",
    "material": "fit material paint.slang -o x.nsh --size 16 --steps 60 --batch 128 "
    "--hidden-width 16 --features 4 --report x.html",
    "decode": "decode textures.nsh -o x --format dds",
    "scene": "scene room.toml -o x.png --samples 4 --size 64x36",
    "render": "render image.nsh -o x.png --size 900x600",
    "render exr": "render image.nsh -o x.exr --size 900x600",
    "report": "report image.nsh photo.png -o x.html",
}
# whose results have equal bits
EQUAL = ("image", "image, all outputs", "textures", "decode", "render", "render exr")
PAINT = """float3 eval(float2 uv, float3 wi, float3 wo)
{
    return wi.z > 0.0f && wo.z > 0.0f ? wi.z * float3(uv, 0.2f) / 3.14159265f : float3(0.0f);
}
"""
ROOM = """camera = { position = [0, 1, 3], look_at = [0, 0, 0] }
environment = { zenith = [0.5, 0.6, 0.8], horizon = [0.8, 0.8, 0.8], ground = [0.2, 0.2, 0.2] }
materials.clay = { diffuse = [0.5, 0.2, 0.1] }
mesh = [{ shape = "ball", material = "clay" }]
"""


def prepared(folder: Path) -> Path:
    """Return a new folder with what every case reads."""
    work = folder / "work"
    for name in (work, folder / "tmp", work / "maps"):
        name.mkdir(parents=True)
    for name, source in (("photo.png",) * 2, ("tint.slang",) * 2, ("image.nsh", "image_grid.nsh"),
                         ("textures.nsh",) * 2):  # fmt: skip
        shutil.copy(DATA / source, work / name)
    (work / "paint.slang").write_text(PAINT)
    (work / "room.toml").write_text(ROOM)
    maps = np.load(DATA / "maps.npz")
    stored = {"albedo": maps["albedo"], "normal": maps["normal"] / 2 + 0.5,
              "roughness": maps["roughness"]}  # fmt: skip
    for name, values in stored.items():
        pixels = np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(work / f"maps/{name}.png")
    return work
