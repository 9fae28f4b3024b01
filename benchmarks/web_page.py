"""Web pages of assets in Chromium with software GPUs: first picture, whole picture, bytes.

    python benchmarks/web_page.py ASSET... [--repeats 3]

Writes results/web_page_cpu.json. Without assets it uses those that it finds below .data/web (fit
them by the commands of README's table). Times are the least of several; the first picture counts
from navigation, at 800 x 600, from a file. A long task is one that blocks the page for 50 ms or
more, as the browser reports them, while a pointer drags and the picture is refined.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from shared.results import write_results

import neuralshade

FLAGS = ["--no-sandbox", "--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader",
         "--enable-features=Vulkan", "--use-vulkan=swiftshader",
         "--use-angle=swiftshader"]  # fmt: skip
APIS = ("webgpu", "webgl2", "none")
SIZE = {"width": 800, "height": 600}
MOST_FACTOR, MOST_MORE = 1.4, 40_000  # bytes of a page: so many times the asset's, and these
WAIT_MS = 120_000
WATCH = """() => {
    globalThis.long_tasks = [];
    new PerformanceObserver((list) => {
        for (const one of list.getEntries()) globalThis.long_tasks.push(one.duration);
    }).observe({ entryTypes: ["longtask"] });
}"""
SETTLED = "async () => { await neuralshade_viewer.stage?.settled; }"
WHOLE_MS = """() => {
    const { stage } = neuralshade_viewer, ns = stage?.ns.get(stage.layers[0].program) ?? 0;
    return ns * stage.canvas.width * stage.canvas.height / 1e6;
}"""


def first_picture(browser: Browser, url: str) -> dict[str, Any]:
    """Return seconds to the first picture, of a whole one, and the longest task after it."""
    page = browser.new_context(viewport=SIZE).new_page()
    page.set_default_timeout(WAIT_MS)
    begin = time.perf_counter()
    page.goto(url)
    page.wait_for_selector("#view[data-ready]", state="attached")
    first = time.perf_counter() - begin
    api = page.get_attribute("#view", "data-ready")
    found: dict[str, Any] = {"first picture, s": round(first, 2)}
    if api != "still":
        page.evaluate(WATCH)
        page.mouse.move(300, 200)
        page.mouse.down()
        page.mouse.move(380, 240, steps=8)
        page.mouse.up()
        page.evaluate(SETTLED)
        tasks = page.evaluate("long_tasks")
        found |= {"a whole picture, ms": round(page.evaluate(WHOLE_MS)),
                  "longest task, ms": round(max(tasks, default=0))}  # fmt: skip
    page.context.close()
    return {"ran": api, **found}


def measured(browser: Browser, asset: Path, repeats: int, folder: Path) -> list[dict[str, Any]]:
    """Return a row for each API."""
    (file,) = neuralshade.export(asset, output=folder / f"{asset.stem}.html").files
    size, most = os.path.getsize(file), MOST_FACTOR * asset.stat().st_size + MOST_MORE
    rows = []
    for api in APIS:
        runs = [first_picture(browser, f"file://{file}?api={api}") for _ in range(repeats)]
        best = min(runs, key=lambda run: float(run["first picture, s"]))
        rows.append({"asset": asset.name, "api": api, "ran": best["ran"],
                     "asset, bytes": asset.stat().st_size, "page, bytes": size,
                     "page's limit, bytes": round(most),
                     "first picture, s": best["first picture, s"],
                     "a whole picture, ms": min((run["a whole picture, ms"] for run in runs
                                                 if "a whole picture, ms" in run), default=None),
                     "longest task, ms": max((run["longest task, ms"] for run in runs
                                              if "longest task, ms" in run), default=None),
                     "load": round(os.getloadavg()[0], 1)})  # fmt: skip
        print(rows[-1], file=sys.stderr)
    return rows


def main() -> None:
    """Measure and write results."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("assets", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    assets = asked.assets or sorted(Path(".data/web").glob("*.nsh"))
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not assets or found is None:
        print("skipped: no assets or no Chromium; see the head of this file", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        rows = [row for asset in assets
                for row in measured(browser, asset, asked.repeats, Path(folder))]  # fmt: skip
        version = browser.version
        browser.close()
    sys.argv[1:] = [str(path.name) for path in assets]
    write_results("web_page_cpu", {"Pages, 800 x 600": rows}, {"browser": f"Chromium {version}"})


if __name__ == "__main__":
    main()
