"""Forged files through every door: what opens, what is refused, and whether anything else happens.

    python benchmarks/soak_forger.py [--cases 20000] [--only "image;shader"] [--first 0]

Writes results/soak_forger.json. Assets and checkpoints of every kind are forged by
tests/fixtures/forger.py, checksum put right; recipes, manifests, stacks, MaterialX documents,
scenes, meshes and pictures by forged_texts.py.
Each file is tried in a child process, which has LIMIT_SECONDS of a core for it (PATIENCE times that
by the clock) and LIMIT_BYTES; one that dies or is too late is counted, and the next goes on after
it. The exit code is 1 where anything but opened and refused came of a file. Every EVALUATED-th
asset that opens is compared with its picture, every REPORTED-th has its page written; every
checkpoint of a picture that opens is gone on with, of kinds that compile kernels every RESUMED-th.
Results are written after each kind; with --only, what they hold of others stays.
"""

import argparse
import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from shared.results import FOLDER, write_results

import neuralshade

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
LIMIT_SECONDS, START_SECONDS = 20.0, 120.0  # of a file; of what loads or compiles: of its cores
PATIENCE = 30  # times as long by the clock, on a machine that others keep busy
LIMIT_BYTES = 2 * 2**30
EVALUATED, REPORTED, RESUMED = 10, 100, 50
TEXTS = {
    "recipe.toml": 'encoding = "dense_grid:width=12,height=8"\nsteps = 100\nrate = 0.01\nseed = 3\n'
    'activation = "relu"\nbias = true\nbpp = 4.0\n',
    "recipe.json": '{"encoding": {"otype": "HashGrid", "n_levels": 4, "log2_hashmap_size": 8}, '
    '"network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 2}, '
    '"optimizer": {"otype": "Adam", "learning_rate": 0.01}, "loss": {"otype": "L2"}}',
    "manifest.json": '{"name": "rock", "albedo": "photo.png", "normal": {"path": "normal.png", '
    '"convention": "opengl"}, "roughness": {"path": "photo.png", "channel": "g"}}',
    "stack.toml": (ROOT / "examples/material/antique_copper.toml").read_text(),
    "graph.mtlx": (ROOT / "benchmarks/materials/scratched_plastic.mtlx").read_text(),
    "scene.toml": (ROOT / "examples/scene/tray.toml").read_text(),
    "mesh.gltf": "",
    "mesh.glb": "",
    "picture.png": "",
}


def attempts(name: str, path: Path) -> Callable[[int], Iterator[tuple[str, tuple[str, str]]]]:
    """Return what forges file number ``seed`` at ``path``, and yields each door and its outcome."""
    from fixtures import doors
    from fixtures.forged_texts import forge_bytes, forge_text
    from fixtures.forger import forge
    from fixtures.meshes import document, save

    from neuralshade.scene.shapes import box

    door = {"manifest.json": doors.manifest, "picture.png": doors.picture, "mesh.glb": doors.mesh,
            "mesh.gltf": doors.mesh, "scene.toml": doors.scene, "stack.toml": doors.material,
            "graph.mtlx": doors.material}.get(name, doors.recipe)  # fmt: skip
    if name.startswith("mesh"):
        whole = save(path, *document(box())).read_bytes()
    else:
        whole = (doors.DATA / "photo.png").read_bytes()

    def texts(seed: int) -> Iterator[tuple[str, tuple[str, str]]]:
        # of a .gltf file words are forged, and bytes of every other one
        if name == "picture.png" or name == "mesh.glb" or (name == "mesh.gltf" and seed % 2):
            path.write_bytes(forge_bytes(whole, seed))
        else:
            path.write_text(forge_text(TEXTS[name] or whole.decode(), seed), errors="surrogatepass")
        yield name, doors.tried(door, path)

    def files(seed: int) -> Iterator[tuple[str, tuple[str, str]]]:
        kind, _, is_checkpoint = name.partition("-")
        path.write_bytes(forge(doors.whole(name), seed))
        if is_checkpoint:
            first = doors.tried(doors.checkpoint, path, kind)
            yield "checkpoint", first
            if first[0] == "opened" and (kind == "image" or seed % RESUMED == 0):
                say(compiles=kind != "image")
                yield "resume", doors.tried(doors.resumed, path, kind)
            return
        first = doors.tried(doors.told, path)
        yield "load, info, facts", first
        shares = {doors.drawn: 1, doors.drawn_as_fitted: 1, doors.evaluated: EVALUATED,
                  doors.reported: REPORTED}  # fmt: skip
        for door in doors.ON_THE_CPU.get(kind, ()):
            if first[0] == "opened" and seed % shares[door] == 0:
                yield door.__name__.replace("_", " "), doors.tried(door, path)

    return texts if name in TEXTS else files


def say(**facts: Any) -> None:
    """Tell the parent in a line of JSON; doors print elsewhere."""
    print(json.dumps(facts), flush=True)


def child(name: str, first: int, count: int, place: str) -> None:
    """Try files ``first`` ... and print a line of JSON about each; end by memory's limit."""
    sys.path.insert(0, str(TESTS))
    import torch

    torch.set_num_threads(1)
    path = Path(place) / f"x{Path(name).suffix or '.nsh'}"
    (Path(place) / "photo.png").write_bytes((TESTS / "data/photo.png").read_bytes())
    up = np.full((16, 24, 3), (0.5, 0.5, 1.0), np.float32)
    neuralshade.save_picture(Path(place) / "normal.png", up, "srgb")
    (Path(place) / "copper.nsh").write_bytes((TESTS / "data/material.nsh").read_bytes())
    tries = attempts(name, path)
    say(ready=True)
    for seed in range(first, first + count):
        outcomes = list(tries(seed))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        say(seed=seed, outcomes=outcomes, bytes=peak)
        if peak > LIMIT_BYTES:
            return


def soak(name: str, first: int, count: int) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Return how often each outcome of each door came, and the files that did harm."""
    counts: Counter[str] = Counter()
    harmful: list[dict[str, Any]] = []
    last = first + count
    while first < last:
        for said in children(name, first, last - first):
            first = said["seed"] + 1
            for door, (outcome, detail) in said["outcomes"]:
                counts[f"{door}: {outcome}"] += 1
                if outcome not in ("opened", "refused"):
                    harmful.append({"kind": name, "seed": said["seed"], "door": door,
                                    "outcome": outcome, "detail": detail})  # fmt: skip
            counts["files"] += 1
    return counts, harmful


def children(name: str, first: int, count: int) -> Iterator[dict[str, Any]]:
    """Yield what one child says of its files, and in the end what it died of."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, __file__, "--child", name, "--first", str(first),
                   "--cases", str(count), "--place", place]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
        assert process.stdout is not None
        seed, limit = first, START_SECONDS
        try:
            while True:
                line = line_within(process, limit)
                said = json.loads(line) if line else None
                if said is None:
                    died = "too late" if line is None else f"exit {process.wait()}"
                    if line is None or process.returncode or seed == first:
                        yield {"seed": seed, "outcomes": [("process", ("died", died))]}
                    return
                # to compile kernels may take longer on a busy machine, whatever the file holds
                limit = START_SECONDS if said.get("compiles") else LIMIT_SECONDS
                if "seed" in said:
                    seed = said["seed"] + 1
                    if said["bytes"] > LIMIT_BYTES:
                        said["outcomes"].append(("process", ("too large", f"{said['bytes']:,}")))
                    yield said
                if seed == first + count:
                    return
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()


def line_within(process: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    """Return the next line, b"" at the end; None where that takes more of a core or far longer."""
    child = psutil.Process(process.pid)
    end, most = time.monotonic() + PATIENCE * seconds, core_seconds(child) + seconds
    while time.monotonic() < end and core_seconds(child) < most:
        if select.select([process.stdout], [], [], 1.0)[0]:
            assert process.stdout is not None
            return process.stdout.readline()  # unbuffered: no line hides behind another
    return None


def core_seconds(child: psutil.Process) -> float:
    """Return how long a process has had a core; 0 where it has ended."""
    try:
        spent = child.cpu_times()
    except psutil.Error:
        return 0.0
    return spent.user + spent.system


def main() -> None:
    """Parse, try, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="files of each kind")
    parser.add_argument("--first", type=int, default=0, help="seed of the first")
    parser.add_argument("--only", help="kinds of files, with ; between")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--place", help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if given.child:
        child(given.child, given.first, given.cases, given.place)
        return
    sys.path.insert(0, str(TESTS))
    from fixtures.doors import WHOLE

    names = given.only.split(";") if given.only else [*WHOLE, *TEXTS]
    before = json.loads((FOLDER / "soak_forger.json").read_text()) if given.only else {}
    rows = {row["file"]: row for row in before.get("outcomes", ())}
    harm = list(before.get("harm", ()))
    for name in names:
        begun = time.perf_counter()
        counts, harmful = soak(name, given.first, given.cases)
        harm = [one for one in harm if one["kind"] != name] + harmful
        files, took = counts.pop("files"), round(time.perf_counter() - begun)
        came_of = "; ".join(f"{what} {count:,}" for what, count in sorted(counts.items()))
        rows[name] = {"file": name, "forged": files, "harm": len(harmful), "came of": came_of,
                      "seconds": took}  # fmt: skip
        print(rows[name], *harmful, sep="\n", flush=True)
        write(list(rows.values()), harm)
    sys.exit(1 if harm else 0)


def write(rows: list[dict[str, Any]], harm: list[dict[str, Any]]) -> None:
    """Write what came of the kinds so far."""
    limits = f"{LIMIT_SECONDS:g} s of a core and {LIMIT_BYTES / 2**30:g} GB"
    sections = {"outcomes": rows, **({"harm": harm} if harm else {})}
    write_results("soak_forger", sections, {"limits": limits}, quiet=True)


if __name__ == "__main__":
    main()
