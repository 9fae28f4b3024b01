"""Every kind on every class of input, on every road: PyTorch, Vulkan and CUDA side by side.

    python benchmarks/every_input.py [--roads torch vulkan cuda] [--kinds material ...]
        [--documents FOLDER] [--workers 8] [--name NAME]

Each case is one small fit on each road, of equal steps: tests/kinds/test_every_input.py runs the
same. --documents adds the MaterialX documents of a folder, such as upstream's examples. Writes
results/every_input_NAME.json: dB by road, PSNR or, of mip levels and tasks, of the error;
"apart" is the widest difference between roads, those above 40 dB counted as 40.
"""

import argparse
import logging
import math
import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from shared.every_input import HIGHEST, ROADS, Case, all_cases
from shared.results import write_results

from neuralshade.errors import NeuralShadeError

LONGEST = 110  # characters of a refusal in the table


def row(kind: str, name: str, roads: Sequence[str], document: Path | None) -> dict[str, Any]:
    """Return what a case reached on each road, or why it was refused there."""
    logging.disable()
    case = document_case(document) if document else next(
        case for case in all_cases() if (case.kind, case.name) == (kind, name))  # fmt: skip
    found: dict[str, Any] = {"kind": kind, "input": name}
    reached = []
    for road in roads:
        if road not in case.roads():
            found[road] = "-"
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                db = case.fit(Path(folder), road)
            except NeuralShadeError as error:
                said = str(error).replace(f"{document.parent if document else folder}/", "")
                found[road] = f"{type(error).__name__}: {said}"[:LONGEST].replace("\n", " ")
                continue
        found[road] = f"{db:.2f}"
        reached.append(min(db, HIGHEST) if math.isfinite(db) else math.inf)
    return found | {"apart": f"{max(reached) - min(reached):.2f}" if reached else "-"}


def document_case(path: Path) -> Case:
    """Return the case of a MaterialX document that is there."""
    return Case("material", path.stem, lambda folder: path)


def parsed() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--roads", nargs="+", choices=ROADS, default=list(ROADS[:2]))
    parser.add_argument("--kinds", nargs="+")
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--name", default="cpu")
    return parser.parse_args()


def main() -> None:
    """Fit every case, print and write the table."""
    given = parsed()
    cases: list[tuple[Case, Path | None]] = [(case, None) for case in all_cases()]
    if given.documents:
        documents = sorted(given.documents.resolve().rglob("*.mtlx"))
        cases += [(document_case(path), path) for path in documents]
    chosen = [each for each in cases if not given.kinds or each[0].kind in given.kinds]
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.workers, mp_context=spawned) as pool:
        waiting = [pool.submit(row, case.kind, case.name, given.roads, path)
                   for case, path in chosen]  # fmt: skip
        rows = []
        for each in waiting:
            rows.append(each.result())
            print(*rows[-1].values(), sep=" | ", flush=True)
    write_results(f"every_input_{given.name}", {"dB": rows}, quiet=True)


if __name__ == "__main__":
    main()
