"""fit image on the CPU, beside a plain PyTorch loop of the same models, in one run.

    python benchmarks/fit_image_cpu.py [--kodak-seconds 10] [--data ../shared/data]

Writes results/fit_image_cpu.json. Needs jeep/jeep.jpg and kodak/*.png below --data;
sections whose pictures are missing are left out, saying so.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch
from PIL import Image
from shared.results import write_results

import neuralshade
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.field import build_field
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.measure.baselines import spend_on_jpeg, spend_on_webp
from neuralshade.measure.quality import psnr_db, ssim
from neuralshade.model.field import Field

Row = dict[str, Any]
OUT = Path(tempfile.mkdtemp())
SIX_OCTAVES = {"encoding": "frequency:octaves=6"}


def ours(picture: Path, preset: str, seconds: float, **settings: Any) -> Row:
    """Fit with the package; return what it says."""
    result = neuralshade.fit_image(
        picture, OUT / "ours.nsh", preset=preset, seconds=seconds, **settings
    )
    return {
        "loop": "neuralshade",
        "seconds": round(result.seconds, 1),
        "M samples/s": round(result.samples_per_second / 1e6, 2),
        "PSNR dB": round(result.psnr_db, 2),
        "bits/pixel": round(result.bits_per_pixel, 2),
        **searched(result),
    }


def searched(result: neuralshade.FitResult) -> Row:
    """Return what the search of codes took after training, and what it brought."""
    found = result.search
    return {"search s": round(found.seconds, 2) if found else 0.0,
            "search dB": round(found.gain_db, 2) if found else 0.0}  # fmt: skip


def plain(picture: Path, preset: str, seconds: float, **settings: Any) -> Row:
    """Fit the same model with a loop as anybody would write it: float32, random pixels, Adam."""
    loaded = neuralshade.load_picture(picture)
    recipe = resolve(preset_recipe(preset, {**settings, "seconds": seconds}), loaded)
    field = build_field(recipe, loaded.channels, torch.Generator().manual_seed(0))
    field.store_as(32, 32)
    pixels = torch.from_numpy(loaded.as_float())
    height, width = pixels.shape[:2]
    size = torch.tensor([width, height])
    adam = torch.optim.Adam(field.parameters(), lr=recipe.rate, betas=(recipe.beta1, recipe.beta2))
    start, steps = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        adam.param_groups[0]["lr"] = recipe.rate * max(0.01, 1 - elapsed / seconds)
        at = torch.stack(
            [torch.randint(width, (recipe.batch,)), torch.randint(height, (recipe.batch,))], 1
        )
        loss = (field((at + 0.5) / size) - pixels[at[:, 1], at[:, 0]]).square().mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        steps += 1
    elapsed = time.perf_counter() - start
    return {
        "loop": "plain PyTorch",
        "seconds": round(elapsed, 1),
        "M samples/s": round(steps * recipe.batch / elapsed / 1e6, 2),
        "PSNR dB": round(psnr_db(loaded.as_float(), drawn(field, width, height)), 2),
        "bits/pixel": round(sum(p.numel() for p in field.parameters()) * 32 / width / height, 2),
        "search s": 0.0,
        "search dB": 0.0,
    }


@torch.no_grad()
def drawn(field: Field, width: int, height: int) -> np.ndarray:
    """Return the field at pixel centres through its reference path."""
    v, u = torch.meshgrid(
        (torch.arange(height) + 0.5) / height, (torch.arange(width) + 0.5) / width, indexing="ij"
    )
    return (
        field(torch.stack([u, v], -1).reshape(-1, 2)).reshape(height, width, -1).clamp(0, 1).numpy()
    )


def presets(jeep: Path) -> list[Row]:
    """Every number that the README's table has, ours and the plain loop's side by side."""
    rows = []
    tasks = [
        ("grid", 5.0, {}), ("grid", 20.0, {}), ("detail", 5.0, {}), ("detail", 20.0, {}),
        ("rtxns-fast", 10.0, {}), ("rtxns-fast", 10.0, SIX_OCTAVES),
    ]  # fmt: skip
    for preset, seconds, settings in tasks:
        name = preset + (" (6 octaves)" if settings else "")
        for fit in (ours, plain):
            rows.append({"preset": name, **fit(jeep, preset, seconds, **settings)})
            print(rows[-1], flush=True)
    return rows


def lake(pictures: list[Path]) -> list[Row]:
    """Return the lake preset against its grid's resolution enlarged bilinearly."""
    rows = []
    for path in pictures:
        target = np.asarray(Image.open(path).convert("RGB"))
        small = Image.fromarray(target).resize((200, 137), Image.Resampling.BOX)
        enlarged = small.resize(target.shape[1::-1], Image.Resampling.BILINEAR)
        fitted = ours(path, "lake", 20.0)
        bilinear = psnr_db(target, np.asarray(enlarged))
        rows.append({"picture": path.name, "bilinear 200x137 dB": round(bilinear, 2),
                     "lake dB": fitted["PSNR dB"],
                     "gain dB": round(fitted["PSNR dB"] - bilinear, 2),
                     "M samples/s": fitted["M samples/s"]})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def kodak(pictures: list[Path], seconds: float) -> list[Row]:
    """Return means over pictures at 1, 2 and 4 bits per pixel of real file size."""
    rows = []
    for bpp in (1.0, 2.0, 4.0):
        per_picture = [kodak_row(path, bpp, seconds) for path in pictures]
        means = {key: np.mean([row[key] for row in per_picture]) for key in per_picture[0]}
        rows.append({"bpp asked": bpp, **{k: round(float(v), 3) for k, v in means.items()}})
        print(rows[-1], flush=True)
    return rows


def kodak_row(path: Path, bpp: float, seconds: float) -> Row:
    """Return ours, JPEG and WebP at the bytes that ours took."""
    target = np.asarray(Image.open(path).convert("RGB"))
    result = neuralshade.fit_image(path, OUT / "kodak.nsh", bpp=bpp, seconds=seconds)
    shown = neuralshade.render(OUT / "kodak.nsh")
    row = {"bits/pixel": result.bits_per_pixel, "neuralshade dB": result.psnr_db,
           "neuralshade SSIM": ssim(target, shown), **searched(result)}  # fmt: skip
    for spend in (spend_on_jpeg, spend_on_webp):
        rival = spend(target, result.asset_bytes)
        row[f"{rival.name} dB"] = min(99.0, psnr_db(target, rival.result))
        row[f"{rival.name} SSIM"] = ssim(target, rival.result)
    return row


def starting(jeep: Path) -> list[Row]:
    """Return what a user waits for, medians of five: import, --help, a fit's first step."""
    commands = {
        "import neuralshade": [sys.executable, "-c", "import neuralshade"],
        "python alone": [sys.executable, "-c", "pass"],
        "neuralshade fit image --help": [
            sys.executable, "-m", "neuralshade", "fit", "image", "--help"],
        "fit image --steps 1": [sys.executable, "-m", "neuralshade", "fit", "image", str(jeep),
                                "--steps", "1", "-o", str(OUT / "one.nsh")],
    }  # fmt: skip
    rows = []
    for name, command in commands.items():
        times = []
        for _ in range(5):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        rows.append({"what": name, "seconds": round(sorted(times)[2], 3)})
    return rows


def memory(jeep: Path) -> list[Row]:
    """Return resident memory along one long fit."""
    process, rows = psutil.Process(), []

    def look(progress: Any) -> None:
        if progress.seconds >= 10 * (len(rows) + 1):
            rows.append({"seconds": 10 * (len(rows) + 1), "steps": progress.step,
                         "resident MB": round(process.memory_info().rss / 2**20)})  # fmt: skip

    neuralshade.fit_image(jeep, OUT / "long.nsh", seconds=60.5, observer=look)
    return rows


def main() -> None:
    """Run every section whose pictures are there, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--kodak-seconds", type=float, default=10.0)
    options = parser.parse_args()
    jeep, photos = options.data / "jeep/jeep.jpg", sorted(options.data.glob("kodak/*.png"))
    sections = {}
    if jeep.exists():
        sections["Starting"] = starting(jeep)
        sections["jeep.jpg, 512 x 512"] = presets(jeep)
        sections["Memory of one fit"] = memory(jeep)
    if photos:
        sections["lake preset"] = lake(photos[1:4])
        title = f"Kodak, {len(photos)} pictures, {options.kodak_seconds:g} s each"
        sections[title] = kodak(photos, options.kodak_seconds)
    if len(sections) < 5:
        print(f"left out: pictures missing below {options.data}")
    if sections:
        write_results("fit_image_cpu", sections)


if __name__ == "__main__":
    main()
