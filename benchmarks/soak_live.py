"""What a siege of its live page costs a fit: 2,000 connections that mean no good, for minutes.

    python benchmarks/soak_live.py [--seconds 600] [--rounds 40] [--connections 2000]

Writes results/soak_live.json, or into --folder. A fit of a small picture runs on one CPU
thread, in a process that may have so many descriptors; another process besieges its page: idle
connections, headers and bodies that never end, answers and WebSockets that nobody reads, messages
that make no sense, forged assets, pictures that claim gigabytes, reports over and over again.
Speeds are told by the clock of the thread that trains (steps a second that it computed), with the
siege and without it, in turn: a machine's own speed drifts by more in minutes than is asked for,
so that each siege is compared with the calms before and after it. On a machine with other work
wall time says less. The fit is ended while it is besieged; fails where its asset is not whole then.
"""

import argparse
import json
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from shared.besieged_fit import PATIENCE_SECONDS, READY, Fit, Look, until
from shared.besieger import besiege
from shared.results import write_results
from websockets.exceptions import WebSocketException

import neuralshade

ROWS = 12  # of the table of what the fit holds
NEWCOMER_SECONDS = 20.0
CALM_SHARE = 0.6  # of the seconds of a siege, for a calm
WANTED_PERCENT = 98.0


def newcomer(fit: Fit, patience: float) -> str:
    """Return how long a page that comes during the siege waits at the door."""
    begin = time.perf_counter()
    try:
        with fit.page(patience):
            return f"{time.perf_counter() - begin:.1f} s"
    except (OSError, WebSocketException):
        return f"more than {patience:g} s"


def watched(fit: Fit, begin: float, seconds: float, besieged: bool) -> list[Look]:
    """Return a look at a fit each second, and more until it was seen to have computed."""
    looks, end = [fit.look(begin, besieged)], time.perf_counter() + seconds
    while time.perf_counter() < end:
        time.sleep(min(1.0, max(0.0, end - time.perf_counter())))
        looks.append(fit.look(begin, besieged))

    def moved() -> bool:
        looks.append(fit.look(begin, besieged))
        return looks[-1].step > looks[0].step and looks[-1].computed > looks[0].computed

    until(moved)
    return looks


def shares(phases: list[list[Look]]) -> list[float]:
    """Return the speed in each siege, by the mean of the calms before and after it."""
    return [speed(phases[at]) / statistics.mean((speed(phases[at - 1]), speed(phases[at + 1])))
            for at in range(1, len(phases), 2)]  # fmt: skip


def row(name: str, looks: list[Look], share: float | None) -> dict[str, Any]:
    """Return what a fit did in a while; ``share``: of its speed without a siege."""
    first, last = looks[0], looks[-1]
    steps, computed = last.step - first.step, last.computed - first.computed
    passed, attending = last.seconds - first.seconds, last.attending - first.attending
    own = speed(looks)
    return {
        "fit": name, "seconds": round(passed, 1), "computed": round(computed, 1), "steps": steps,
        "steps / s computed": round(own, 2),
        "% of without": "" if share is None else round(100 * share, 1),
        "given to pages, % of computed": round(100 * attending / computed, 2),
        "steps / s": round(steps / passed, 2),
    }  # fmt: skip


def speed(looks: list[Look]) -> float:
    """Return steps a second that the thread that trains computed."""
    first, last = looks[0], looks[-1]
    return (last.step - first.step) / (last.computed - first.computed)


def besieged(port: int, count: int) -> subprocess.Popen[bytes]:
    """Start the siege in a process of its own, which may have all the descriptors it needs."""
    command = [sys.executable, __file__, "--besiege", str(port), "--connections", str(count)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    if process.stdout.readline() != b"all have come\n":
        sys.exit("soak_live: the besiegers did not come")
    return process


def measured(folder: Path, given: argparse.Namespace) -> tuple[list[list[Look]], dict[str, str]]:
    """Return looks at calms and sieges in turn, and what was seen at the end."""
    with ExitStack() as stack:
        fit = Fit(folder, given.descriptors)
        stack.callback(end, fit.process)
        owner = stack.enter_context(fit.page(PATIENCE_SECONDS))
        begin, each = time.perf_counter(), given.seconds / given.rounds
        calm = min(60.0, CALM_SHARE * each)
        time.sleep(min(2.0, calm))  # caches fill
        phases = [watched(fit, begin, calm, False)]
        siege = besieged(fit.port, given.connections)
        stack.callback(end, siege)
        for _ in range(given.rounds):
            siege.send_signal(signal.SIGCONT)
            phases.append(watched(fit, begin, each, True))
            siege.send_signal(signal.SIGSTOP)
            time.sleep(min(1.0, calm))
            phases.append(watched(fit, begin, calm, False))
        siege.send_signal(signal.SIGCONT)
        waited = newcomer(fit, min(NEWCOMER_SECONDS, given.seconds))
        owner.send(json.dumps({"type": "control", "action": "stop"}))
        until(fit.asset.with_name(READY).exists)
        reached = neuralshade.load(fit.asset).header.quality
        fit.process.send_signal(signal.SIGINT)
        code = fit.process.wait(PATIENCE_SECONDS)
        return phases, {
            "asset, written while besieged": f"psnr_db {reached['psnr_db']:.2f}, exit code {code}",
            "a page that came then waited": waited,
        }


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process, whatever it does."""
    process.kill()
    process.wait()


def found(phases: list[list[Look]]) -> dict[str, str]:
    """Return the mean over the sieges, and its standard error."""
    percent = [100 * share for share in shares(phases)]
    error = statistics.pstdev(percent) / max(1, len(percent) - 1) ** 0.5
    return {"found, % of without": f"{statistics.mean(percent):.2f} +- {error:.2f}"}


def tables(phases: list[list[Look]]) -> dict[str, list[dict[str, Any]]]:
    """Return what is told: speeds, and what the process held on the way."""
    speeds = [row("calm", phases[0], None)]
    for at, of in zip(range(1, len(phases), 2), shares(phases), strict=True):
        speeds += [row("besieged", phases[at], of), row("calm", phases[at + 1], None)]
    every = [look for looks in phases for look in looks]
    held = [
        {"second": round(look.seconds), "besieged": "yes" if look.besieged else "",
         "resident MB": round(look.resident / 2**20), "descriptors": look.descriptors,
         "log bytes": look.said}
        for look in every[:: max(1, len(every) // ROWS)]
    ]  # fmt: skip
    return {"Speed": speeds, "What the fit's process holds": held}


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)  # fmt: skip
    parser.add_argument("--seconds", type=float, default=600.0, help="of siege, in all")
    parser.add_argument("--rounds", type=int, default=40, help="that these are divided into")
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--descriptors", type=int, default=1024, help="that the fit may have")
    parser.add_argument("--folder", type=Path, help="for the results, in place of results/")
    parser.add_argument("--besiege", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if given.besiege is not None:
        besiege(given.besiege, given.connections)
        return
    with tempfile.TemporaryDirectory() as folder:
        phases, left = measured(Path(folder), given)
    most = max(look.descriptors for looks in phases for look in looks)
    facts = {"connections": given.connections, "most that it had": most,
             "descriptors that the fit may have": given.descriptors,
             "wanted, % of without": f"at least {WANTED_PERCENT:g}",
             **found(phases), **left}  # fmt: skip
    write_results("soak_live", tables(phases), facts, given.folder)


if __name__ == "__main__":
    main()
