"""Every kind on every class of input, on every road: what there is, and one small fit of each."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from shared.constant_materials import MODELS, SURFACES

import neuralshade
from neuralshade.fitting.options import FitOptions
from neuralshade.kinds import kind_named

Floats = npt.NDArray[np.float32]
Make = Callable[[Path], Any]  # writes into a folder, returns the subject of a fit

ROOT = Path(__file__).parent.parent.parent
STACKS = ROOT / "examples" / "material"
TASK = ROOT / "tests" / "data" / "tint.slang"
ROADS = ("torch", "vulkan", "cuda")
HIGHEST = 40.0  # dB, from which on results count as equal: the rest is a matter of luck
APART = 1.5  # dB between roads at equal steps, at most
FEW = {
    "image": {"steps": 120, "bpp": 8.0, "hidden_width": 16, "batch": 1024},
    "splats": {"count": 24, "steps": 80},
    "textures": {"steps": 300, "batch": 256, "hidden_width": 16},
    "mipmaps": {"steps": 48, "pool": 16, "pairs": 4, "reuse": 2},
    "material": {"size": 8, "steps": 400, "batch": 512, "hidden_width": 16},
    "shader": {"steps": 80, "threads": "16x16"},
}  # fmt: skip
LEAST_ERROR = 1e-6  # so that none is 120 dB of mip levels and tasks, not infinite


@dataclass(frozen=True)
class Case:
    """One kind on one input."""

    kind: str
    name: str
    make: Make = field(repr=False)

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"

    def roads(self) -> tuple[str, ...]:
        """Return what such a fit runs on: kinds in Slang alone have no PyTorch half."""
        return ROADS if "engine" in kind_named(self.kind).takes else ROADS[1:]

    def fit(self, folder: Path, road: str) -> float:
        """Fit it on a road; return dB of its quality, more is better.

        ``road``: torch, on the CPU; or vulkan or cuda, by the kernels of the GPU engine.
        """
        subject, kind = self.make(folder), kind_named(self.kind)
        settings: dict[str, Any] = dict(FEW[self.kind])
        if self.kind == "shader":
            settings["values"] = {"photo": subject, "map.size": (5, 3)}
            subject = TASK
        engine = {"engine": "torch" if road == "torch" else "gpu"} if len(self.roads()) > 2 else {}
        options = FitOptions(device="cpu" if road == "torch" else road, **engine)
        output = folder / (road if self.kind == "mipmaps" else f"{road}.nsh")
        result = kind.fit(subject, output, options=options, **settings)
        neuralshade.load(result.asset).draw(16, 16)
        return quality_db(result)


def quality_db(result: Any) -> float:
    """Return dB of what a fit reached: its PSNR, or of its error where it has none."""
    if hasattr(result, "psnr_db"):
        return float(result.psnr_db)
    if hasattr(result, "errors"):
        levels = [error for light in result.errors.values() for error in light["kept"]]
        return -10 * math.log10(LEAST_ERROR + float(np.mean(levels or [0.0])))
    return -10 * math.log10(LEAST_ERROR + result.loss)


def all_cases() -> Iterator[Case]:
    """Yield every kind on every class of input that it takes."""
    for name, pixels in pictures().items():
        for kind in ("image", "splats", "shader"):
            if kind == "shader" and pixels.shape[2] != 3:
                continue  # the task's picture has three channels
            yield Case(kind, name, _picture(name, pixels))
    for name, maps in map_sets().items():
        for kind in ("textures", "mipmaps", "material"):
            if kind == "mipmaps" and name == "one texel":
                continue  # below which there are no levels
            if not (kind == "material" and name in ("grey", "noise", "hdr")):
                yield Case(kind, f"set, {name}" if kind == "material" else name, _set(maps))
    for name, text in (SURFACES | MODELS).items():
        yield Case("material", name, _document(name, text))
    for path in sorted(STACKS.glob("*.toml")):
        yield Case("material", f"stack {path.stem}", lambda folder, path=path: path)


def pictures() -> dict[str, Floats]:
    """Return one picture of each class, display-coded but for the HDR one, which is linear."""
    rng = np.random.default_rng(1)
    row, col = np.mgrid[:24, :24] / 24.0
    disk = ((row - 0.5) ** 2 + (col - 0.5) ** 2 < 0.15)[..., None]
    return {
        "constant": np.full((16, 16, 3), [0.5, 0.3, 0.2], np.float32),
        "black": np.zeros((16, 16, 3), np.float32),
        "white": np.ones((16, 16, 3), np.float32),
        "one texel": np.float32([[[0.2, 0.6, 0.4]]]),
        "3 x 2": smooth(2, 3),
        "1 x 257": smooth(257, 1),
        "odd": smooth(37, 23),
        "rgba": np.concatenate([smooth(24, 24), disk], axis=2).astype(np.float32),
        "grey": smooth(24, 32)[..., :1],
        "noise": rng.random((32, 32, 3), np.float32),
        "hdr": (smooth(24, 24) ** 6 * 40).astype(np.float32),
    }


def smooth(height: int, width: int) -> Floats:
    """Return smooth waves: float32 [height, width, 3] in [0.1, 0.9]."""
    row, col = np.mgrid[:height, :width].astype(np.float32)
    waves = [0.5 + 0.4 * np.sin(row / (3 + i) + col / (5 + i)) for i in range(3)]
    return np.stack(waves, axis=2).astype(np.float32)


def map_sets() -> dict[str, dict[str, Floats]]:
    """Return one PBR set of each class, by map."""
    color, number = smooth(32, 32), smooth(32, 32)[..., :1]
    flat = np.full((16, 16, 3), [0.5, 0.5, 1.0], np.float32)
    half = np.full((16, 16, 1), 0.5, np.float32)
    slopes = np.concatenate([(smooth(32, 32)[..., :2] - 0.5) * 0.6, np.ones((32, 32, 1))], axis=2)
    normal = slopes / np.linalg.norm(slopes, axis=2, keepdims=True) * 0.5 + 0.5
    hole = (number > 0.4).astype(np.float32)
    rng = np.random.default_rng(2)
    return {
        "constant": {"albedo": np.full((16, 16, 3), [0.5, 0.3, 0.2], np.float32), "normal": flat,
                     "roughness": half},
        "black": {"albedo": np.zeros((16, 16, 3), np.float32), "roughness": half},
        "white": {"albedo": np.ones((16, 16, 3), np.float32), "roughness": half * 2},
        "mirror": {"albedo": color, "normal": normal, "roughness": np.zeros_like(number),
                   "metallic": np.ones_like(number)},
        "cutout": {"albedo": np.concatenate([color, hole], axis=2), "normal": normal,
                   "roughness": number},
        "odd": {"albedo": smooth(33, 17), "roughness": smooth(33, 17)[..., :1]},
        "two sizes": {"albedo": color, "roughness": half},
        "one texel": {"albedo": color[:1, :1], "roughness": number[:1, :1]},
        "1 x 257": {"albedo": smooth(257, 1), "roughness": smooth(257, 1)[..., :1]},
        "grey": {"albedo": number, "roughness": number},
        "noise": {"albedo": rng.random((32, 32, 3), np.float32),
                  "roughness": rng.random((32, 32, 1), np.float32)},
        "hdr": {"albedo": color, "roughness": number, "emissive": color**6 * 40},
    }  # fmt: skip


def _picture(name: str, pixels: Floats) -> Make:
    def make(folder: Path) -> Path:
        linear = name == "hdr"
        path = folder / f"picture.{'exr' if linear else 'png'}"
        neuralshade.save_picture(path, pixels, "linear" if linear else "srgb")
        return path

    return make


def _set(maps: dict[str, Floats]) -> Make:
    def make(folder: Path) -> Path:
        place = folder / "maps"
        place.mkdir(exist_ok=True)
        for name, values in maps.items():
            linear = name == "emissive"
            path = place / f"surface_{name}.{'exr' if linear else 'png'}"
            neuralshade.save_picture(path, np.float32(values), "linear" if linear else "srgb")
        return place

    return make


def _document(name: str, text: str) -> Make:
    def make(folder: Path) -> Path:
        path = folder / f"{name.replace(' ', '_')}.mtlx"
        path.write_text(text)
        return path

    return make
