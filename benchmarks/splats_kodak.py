"""Gaussians against JPEG, WebP and `fit image` at equal bytes, on twelve Kodak pictures.

    python benchmarks/splats_kodak.py --fits DIR [--device cuda] [--only-fit | --only-measure]

Fits what DIR does not have yet, then measures what is there; so fits may be made on one machine
and measured on another. Writes results/splats_kodak.json, and .png where there are several
rates. Needs the pictures below ../shared/data or the folder that NEURALSHADE_DATA names.
"""

import argparse
from pathlib import Path
from statistics import fmean
from typing import Any

from shared.pictures import find_pictures
from shared.results import FOLDER, write_results

import neuralshade
from neuralshade.measure.baselines import spend_on_avif, spend_on_jpeg, spend_on_webp
from neuralshade.measure.quality import psnr_db

Row = dict[str, Any]
PICTURES = [f"kodim{number:02d}.png" for number in range(1, 24, 2)]
RATES = (0.1, 0.2, 0.33, 0.5, 1.0, 2.0)  # bits per pixel
ASKED = {0.33: 26.67, 0.5: 29.1}  # what JPEG has on all 24 pictures; a decibel more is wanted
RIVALS = {"JPEG": spend_on_jpeg, "WebP": spend_on_webp, "AVIF": spend_on_avif}
SERIES = ("splats", "fit image", "JPEG", "WebP", "AVIF")


def fit_all(
    folder: Path, pictures: dict[str, Path], rates: list[float], device: str | None, steps: int
) -> None:
    """Fit every picture at every rate, both ways, but for what is there already."""
    options = neuralshade.FitOptions(device=device)
    for rate in rates:
        for name, path in pictures.items():
            stem = f"{Path(name).stem}_{rate:g}"
            splats, field = folder / f"{stem}_splats.nsh", folder / f"{stem}_image.nsh"
            if not splats.exists():
                fit = neuralshade.fit_splats(path, splats, bpp=rate, steps=steps, options=options)
                print(f"{splats.name}: {fit.psnr_db:.2f} dB, {fit.count} Gaussians, "
                      f"{fit.seconds:.2f} s", flush=True)  # fmt: skip
            if not field.exists():
                made = neuralshade.fit_image(path, field, bpp=rate, steps=steps, options=options)
                print(f"{field.name}: {made.psnr_db:.2f} dB, {made.seconds:.2f} s", flush=True)


def measured(folder: Path, pictures: dict[str, Path]) -> list[Row]:
    """Return a row for every picture and rate that was fitted."""
    rows = []
    for rate in RATES:
        for name, path in pictures.items():
            splats = folder / f"{Path(name).stem}_{rate:g}_splats.nsh"
            if not splats.exists():
                continue
            picture = neuralshade.load_picture(path)
            size = splats.stat().st_size
            found: Row = {"rate": rate, "picture": name, "bytes": size,
                          "bits per pixel": size * 8 / (picture.width * picture.height),
                          "Gaussians": neuralshade.info(splats)["cloud"]["count"],
                          "splats": neuralshade.evaluate(splats, path)[0]["psnr_db"]}  # fmt: skip
            field = splats.with_name(splats.name.replace("_splats", "_image"))
            found["fit image"] = None
            if field.exists():
                found["fit image"] = neuralshade.evaluate(field, picture)[0]["psnr_db"]
            for rival, spend in RIVALS.items():
                result = spend(picture.pixels, size).result
                found[rival] = None if result is None else psnr_db(picture.as_float(), result)
            rows.append(found)
            print(found, flush=True)
    return rows


def fits_facts(folder: Path) -> str:
    """Return how the Gaussians were trained, by what the assets say."""
    training = [neuralshade.info(path)["training"] for path in folder.glob("*_splats.nsh")]
    steps = sorted({each["steps"] for each in training})
    seconds = fmean(each["seconds"] for each in training)
    return f"{', '.join(map(str, steps))} steps, {seconds:.1f} s on average"


def means(rows: list[Row]) -> list[Row]:
    """Return mean PSNR over the pictures, by rate; '-' where a format has no such small file."""
    table = []
    for rate in sorted({row["rate"] for row in rows}):
        here = [row for row in rows if row["rate"] == rate]
        line: Row = {"asked bits per pixel": rate, "pictures": len(here),
                     "bits per pixel": round(fmean(row["bits per pixel"] for row in here), 4),
                     "Gaussians": round(fmean(row["Gaussians"] for row in here))}  # fmt: skip
        for series in SERIES:
            values = [row[series] for row in here]
            line[f"{series} dB"] = "-" if None in values else round(fmean(values), 2)
        jpeg = line["JPEG dB"]
        line["splats - JPEG"] = "-" if jpeg == "-" else round(line["splats dB"] - jpeg, 2)
        line["JPEG on all 24 (given)"] = ASKED.get(rate, "-")
        table.append(line)
    return table


def draw_chart(table: list[Row], path: Path) -> None:
    """Write the curves of mean PSNR over bits per pixel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for series, style in zip(SERIES, ("o-", "s-", "^--", "v--"), strict=True):
        points = [(row["bits per pixel"], row[f"{series} dB"]) for row in table]
        kept = [(x, y) for x, y in points if y != "-"]
        if kept:
            axes.plot(*zip(*kept, strict=True), style, label=series)
    axes.set(xscale="log", xlabel="bits per pixel of the file", ylabel="mean PSNR, dB",
             title=f"Kodak, {table[0]['pictures']} pictures")  # fmt: skip
    axes.set_xticks(RATES, [f"{rate:g}" for rate in RATES])
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Fit, measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=Path, required=True, help="folder of assets")
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--steps", type=int, default=8000, help="of each fit")
    parser.add_argument("--rates", type=float, nargs="+", choices=RATES, default=RATES,
                        help="bits per pixel to fit; several runs may share a folder")  # fmt: skip
    parser.add_argument("--only-fit", action="store_true")
    parser.add_argument("--only-measure", action="store_true")
    options = parser.parse_args()
    pictures = find_pictures(PICTURES)
    if not pictures:
        return
    options.fits.mkdir(exist_ok=True)
    if not options.only_measure:
        fit_all(options.fits, pictures, options.rates, options.device, options.steps)
    if options.only_fit:
        return
    rows = measured(options.fits, pictures)
    table = means(rows)
    if len(table) > 1:
        draw_chart(table, FOLDER / "splats_kodak.png")
    about = {"fits": fits_facts(options.fits)}
    rounded = [{k: round(v, 3) if isinstance(v, float) else v for k, v in r.items()} for r in rows]
    write_results("splats_kodak", {"Mean PSNR": table, "Pictures": rounded}, about)


if __name__ == "__main__":
    main()
