"""Commands killed at random moments: nothing damaged, nothing left behind, every fit goes on.

    python benchmarks/soak_kills.py [--kills 300] [--seed 0] [--jobs 1] [--cases "image;render"]
        [--add]

Each round starts a command in an empty folder and kills it (KILL, TERM, INT, HUP) at any moment,
or as soon as it begins to write a file, several times; what is then there is looked at, and
the command started again, with --resume where there is a checkpoint. At last it runs to its end.
Writes results/soak_kills.json after every round, with --add the sum of what they held and this
run, of another seed; the exit code is 1 where anything was wrong.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image
from shared.killed_commands import CASES, EQUAL, prepared
from shared.results import FOLDER, write_results

import neuralshade

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
EXITS = {signal.SIGKILL: {-9}, signal.SIGTERM: {143, 130, -15}, signal.SIGINT: {130, -2},
         signal.SIGHUP: {129, 130, -1}}  # fmt: skip
MOST_KILLS = 8  # in a row, before the command is left alone
OURS = (".neuralshade-", "neuralshade-scratch-")  # begin the names of temporary files


@dataclass
class Case:
    """A command, how long it takes undisturbed, what it makes then, and what its kills came to."""

    name: str
    words: list[str]
    seconds: float = 0.0
    made: dict[str, bytes] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def start(words: list[str], work: Path) -> subprocess.Popen[str]:
    """Start the command in ``work``, with temporary files beside it."""
    environment = os.environ | {"TMPDIR": str(work.parent / "tmp"), "OMP_NUM_THREADS": "1"}
    environment["XDG_DATA_HOME"] = str(work.parent / "data")
    command = [sys.executable, "-m", "neuralshade", *words]
    return subprocess.Popen(command, cwd=work, env=environment, text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip


def temporary(work: Path) -> list[Path]:
    """Return the files and folders that a command was about to write, or has left."""
    return [p for top in (work, work.parent / "tmp") for p in top.rglob("*")
            if p.name.startswith(OURS)]  # fmt: skip


def wait_to_kill(process: subprocess.Popen[str], case: Case, work: Path, rng: random.Random) -> str:
    """Wait for a random moment, or for one in which a file is written; say which."""
    begun, before = time.monotonic(), {path.name for path in temporary(work)}
    if rng.random() < 0.5:
        end, kind = begun + rng.uniform(0, case.seconds), "at any moment"
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        return kind
    wanted, seen = rng.randint(1, 2), set[str]()
    while process.poll() is None and len(seen) < wanted:
        seen |= {path.name for path in temporary(work)} - before
        time.sleep(0.001)
    time.sleep(rng.choice((0, 0, 0.001)))
    return "while writing"


def killed(case: Case, work: Path, words: list[str], rng: random.Random) -> None:
    """Start the command, kill it, and look at what is there."""
    process, number = start(words, work), rng.choice(SIGNALS)
    moment = wait_to_kill(process, case, work, rng)
    process.send_signal(number)
    said = process.communicate()[1]
    if process.returncode == 0:
        case.counts["ended first"] += 1
    else:
        for what in ("kills", number.name, moment):
            case.counts[what] += 1
        if process.returncode not in EXITS[number]:
            case.faults.append(f"{number.name} {moment}: exit code {process.returncode}: {said}")
    if "Traceback" in said and not is_early(said):
        case.faults.append(f"{number.name} {moment}: {said}")
    case.faults += [f"{number.name} {moment}: {fault}" for fault in damaged(work)]


def is_early(said: str) -> bool:
    """Return whether Python itself was not yet ready to have Ctrl-C heeded."""
    return "in main" not in said


def damaged(work: Path) -> Iterator[str]:
    """Yield what is wrong with outputs: each is whole or not there."""
    for path in sorted(work.rglob("*")):
        if not path.is_file() or path.name.startswith(OURS):
            continue
        try:
            if path.suffix == ".nsh" and not path.name.endswith(".checkpoint.nsh"):
                neuralshade.load(path)
            elif path.suffix in (".png", ".exr"):
                neuralshade.load_picture(path)
            elif path.suffix == ".gif":
                Image.open(path).load()
            elif path.suffix == ".html" and not path.read_text().rstrip().endswith("</html>"):
                yield f"{path.name} is cut off"
        except (neuralshade.NeuralShadeError, OSError) as error:
            yield str(error)


def made(work: Path) -> dict[str, bytes]:
    """Return what is to be equal: the numbers of an asset, the pixels of a picture."""
    found = {}
    for path in sorted(p for p in work.rglob("*") if p.is_relative_to(work / "x") or p.stem == "x"):
        if path.suffix == ".nsh" and path != checkpoint_in(work):
            found |= {n: v.tobytes() for n, v in neuralshade.load(path).tensors.items()}
        elif path.suffix in (".png", ".exr"):
            found[path.name] = neuralshade.load_picture(path).pixels.tobytes()
        elif path.suffix == ".dds":
            found[path.name] = path.read_bytes()
    return found


def checkpoint_in(work: Path) -> Path | None:
    """Return the checkpoint that a killed fit has left, if any."""
    return next(work.rglob("*.checkpoint.nsh"), None)


def round_of(case: Case, kills: int, rng: random.Random) -> None:
    """Kill a command several times, and let it come to its end; then nothing may be left."""
    with tempfile.TemporaryDirectory() as folder:
        work = prepared(Path(folder))
        for _ in range(kills):
            killed(case, work, resumed(case, work), rng)
        is_resumed = checkpoint_in(work) is not None
        case.counts["resumed"] += is_resumed
        process = start(resumed(case, work), work)
        said = process.communicate()[1]
        case.counts["ends"] += 1
        if process.returncode != 0:
            case.faults.append(f"at its end: exit code {process.returncode}: {said}")
            return
        case.faults += [f"at its end: {fault}" for fault in damaged(work)]
        left = [path.name for path in temporary(work)]
        case.counts["left behind"] += len(left)
        case.faults += [f"left behind: {name}" for name in left]
        case.counts["equal bits"] += made(work) == case.made
        if case.name in EQUAL and made(work) != case.made:
            case.faults.append(f"other bits than undisturbed, resumed: {is_resumed}")


def resumed(case: Case, work: Path) -> list[str]:
    """Return the command, which goes on from a checkpoint where there is one."""
    checkpoint = checkpoint_in(work)
    more = [] if checkpoint is None else ["--resume", str(checkpoint.relative_to(work))]
    return case.words + more


def undisturbed(case: Case) -> None:
    """Find how long the command takes, and what it makes."""
    with tempfile.TemporaryDirectory() as folder:
        work, begun = prepared(Path(folder)), time.monotonic()
        process = start(case.words, work)
        said = process.communicate()[1]
        if process.returncode != 0:
            raise SystemExit(f"{case.name}: {said}")
        case.seconds, case.made = time.monotonic() - begun, made(work)


def row(case: Case) -> dict[str, Any]:
    """Return what a case came to, for the table."""
    names = ("kills", *(number.name for number in SIGNALS), "while writing", "ended first", "ends",
             "resumed", "equal bits", "left behind")  # fmt: skip
    counts = {name: case.counts[name] for name in names}
    return {"case": case.name, **counts, "faults": len(case.faults)}


class Results:
    """Writes what all cases came to so far; with ``before`` what earlier runs did, too."""

    def __init__(self, cases: list[Case], seed: int, before: dict[str, Any] | None):
        self.cases, self.seed = cases, seed
        self.before = before or {"machine": {"seeds": [], "kills": 0, "faults": 0}, "Kills": []}
        self.lock = threading.Lock()  # several jobs end rounds

    def write(self, *, quiet: bool) -> None:
        rows, about = [row(case) for case in self.cases], self.before["machine"]
        facts: dict[str, Any] = {"seeds": [*about["seeds"], self.seed]}
        for name in ("kills", "faults"):
            facts[name] = about[name] + sum(one[name] for one in rows)
        counted = {one["case"]: one for one in self.before["Kills"]}
        for one in rows:
            earlier = counted.get(one["case"], {})
            one |= {name: n + earlier.get(name, 0) for name, n in one.items() if name != "case"}
        again = {one["case"] for one in rows}
        rows += [one for one in self.before["Kills"] if one["case"] not in again]
        with self.lock:
            write_results("soak_kills", {"Kills": rows}, facts, quiet=quiet)


def rounds(cases: list[Case], options: argparse.Namespace, end: float, seed: str,
           results: Results | None) -> None:  # fmt: skip
    """Kill the case that was killed least until there were enough kills."""
    rng, done = random.Random(seed), 0
    while done < options.kills and time.monotonic() < end:
        case = min(cases, key=lambda case: case.counts["kills"] + case.counts["planned"])
        kills = min(rng.randint(1, MOST_KILLS), options.kills - done)
        case.counts["planned"] += kills
        round_of(case, kills, rng)
        case.counts["planned"] -= kills
        done = sum(case.counts["kills"] for case in cases)
        print(f"{done} kills, {sum(len(case.faults) for case in cases)} faults", flush=True)
        if results is not None:
            results.write(quiet=True)


def main() -> int:
    """Kill each case in turn until there were enough; write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1, help="commands at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", default=";".join(CASES), help="with ; between")
    parser.add_argument("--minutes", type=float, default=1e9, help="after which no round is begun")
    parser.add_argument("--add", action="store_true", help="to what results/ hold")
    parser.add_argument("--no-results", action="store_true", help="print what was wrong alone")
    options = parser.parse_args()
    # a shell has what it starts in the background ignore Ctrl-C, and that is handed on
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, lambda *given: None)  # nohup's is handed on, too; a handler is not
    cases = [Case(name, CASES[name].split()) for name in options.cases.split(";")]
    end = time.monotonic() + 60 * options.minutes
    before = json.loads((FOLDER / "soak_kills.json").read_text()) if options.add else None
    results = None if options.no_results else Results(cases, options.seed, before)
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(undisturbed, cases))
        seeds = range(options.jobs)
        list(pool.map(lambda job: rounds(cases, options, end, f"{options.seed}.{job}", results),
                      seeds))  # fmt: skip
    faults = [f"{case.name}: {fault}" for case in cases for fault in case.faults]
    print("\n".join(faults))
    if results is not None:
        results.write(quiet=False)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
