"""What looking on costs a fit: samples/s with pages of all tempers, beside the same fit without.

    python benchmarks/live_cost.py [--device cpu] [--seconds 6] [--repeats 7] [--only hidden]

Writes results/live_cost_<cpu or API>.json. Needs kodim05.png below ../shared/data or the
folder that NEURALSHADE_DATA names. Pages run in processes of their own, as browsers do, on the
same machine, and what they compute themselves is not the fit's. Its cost is told by clocks: the
time that the thread that trains gave to pages, and what the server's thread and the encoder's did.
First pictures, which no fit counts as its seconds, stand beside it.
Speeds stand beside it; on a machine with other work they vary by more than that. Repetitions of all
situations alternate; medians are told.
"""

import argparse
import json
import os
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil
from shared.pictures import find_pictures
from shared.results import write_results
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import neuralshade
from neuralshade.live.fit_controller import FitController
from neuralshade.live.live import Live

Row = dict[str, Any]
PICTURE = "kodim05.png"
LIMIT_PERCENT = 2.0  # that a slow, hidden or vanished page may cost
FEWEST_SECONDS = 1.0  # of a fit before the measured one: caches fill, clocks rise


@dataclass(frozen=True)
class Situation:
    """Who looks on: ``temper`` is a page's, None where there is no page."""

    name: str
    live: bool = True
    temper: str | None = None
    pages: int = 1
    limited: bool = False


SITUATIONS = [
    Situation("without --live", live=False),
    Situation("--live, no page"),
    Situation("hidden page", temper="hidden", limited=True),
    Situation("page that never acknowledges", temper="silent", limited=True),
    Situation("page that takes 5 s a frame", temper="slow", limited=True),
    Situation("page whose process was killed", temper="killed", limited=True),
    Situation("page that froze, socket open", temper="frozen", limited=True),
    Situation("one page", temper="keen"),
    Situation("8 pages", temper="keen", pages=8),
]


def look_on(temper: str, port: int) -> None:
    """Be a page until the server hangs up; prints a line when it is greeted."""
    with connect(f"ws://127.0.0.1:{port}/events", max_size=None, max_queue=None) as socket:
        socket.recv()
        print("greeted", flush=True)
        seen = 0
        while True:
            said = socket.recv()
            if isinstance(said, str):
                answer(socket, json.loads(said), temper)
                continue
            (size,) = struct.unpack_from("<I", said)
            seen += 1
            if temper == "silent":
                continue
            if temper == "killed" and seen == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            if temper == "frozen" and seen == 2:
                os.kill(os.getpid(), signal.SIGSTOP)
            if temper == "slow":
                time.sleep(5)
            header = json.loads(said[4 : 4 + size])
            socket.send(json.dumps({"type": "received", "id": header["id"]}))


def answer(socket: ClientConnection, message: dict[str, Any], temper: str) -> None:
    """Ask for both panes of a scene that begins, as a page that shows all of it does."""
    if message["type"] != "scene" or message["scene"] is None:
        return
    scene = message["scene"]
    view = {"type": "view", "id": scene["id"], "scene": scene["id"], "width": scene["width"],
            "height": scene["height"], "panes": scene["panes"]}  # fmt: skip
    socket.send(json.dumps(view))
    if temper == "hidden":
        socket.send(json.dumps({"type": "visible", "visible": False}))


def page(temper: str, port: int) -> subprocess.Popen[str]:
    """Start a page in a process of its own; return when it is greeted."""
    command = [sys.executable, __file__, "--be", temper, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "greeted\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    """End a page, whatever it does."""
    process.kill()
    process.communicate()


@dataclass
class Spent:
    """Seconds that the pages of one fit took."""

    fit: float
    training: float = 0.0  # of the thread that trains, which told, answered and drew meanwhile
    others: float = 0.0  # of a core, that the server's thread and the encoder's computed
    opening: float = 0.0  # before the first step: none of the fit's, as it counts its seconds

    @property
    def percent(self) -> float:
        """Return the share of the fit's time, the other threads' spread over all cores."""
        return 100 * (self.training + self.others / (os.cpu_count() or 1)) / self.fit


def thread_seconds() -> float:
    """Return what the live page's threads have computed so far."""
    ours = {t.native_id for t in threading.enumerate() if t.name.startswith("neuralshade")}
    return sum(t.user_time + t.system_time for t in psutil.Process().threads() if t.id in ours)


def looked_at(situation: Situation, fit: dict[str, Any]) -> tuple[float, Spent]:
    """Return samples/s of a fit while somebody looks on, and what that took."""
    with ExitStack() as stack:
        if not situation.live:
            result = neuralshade.fit_image(**fit)
            return result.samples_per_second, Spent(result.seconds)
        live = stack.enter_context(Live(port=0))
        if situation.temper is not None:
            for _ in range(situation.pages):
                process = page(situation.temper, live.server.access.port)
                stack.callback(end, process)
        attending: list[float] = []
        pauses: list[float] = []
        attend = FitController.attend

        def timed(self: FitController, *given: Any) -> float:
            begin = time.perf_counter()
            paused = attend(self, *given)
            # what it returns is no part of the fit's seconds, that of first pictures above all
            attending.append(time.perf_counter() - begin - paused)
            pauses.append(paused)
            return paused

        before = thread_seconds()
        with patch.object(FitController, "attend", timed):
            result = live.run(neuralshade.fit_image, **fit)
        others = thread_seconds() - before
        spent = Spent(result.seconds, sum(attending), others, sum(pauses))
        return float(result.samples_per_second), spent


def measured(situations: list[Situation], fit: dict[str, Any], repeats: int) -> list[Row]:
    """Return a row for each situation; the first of them is what the others are compared with."""
    found: dict[str, list[tuple[float, Spent]]] = {s.name: [] for s in situations}
    looked_at(SITUATIONS[0], {**fit, "seconds": FEWEST_SECONDS})
    for repeat in range(repeats):
        first = repeat % len(situations)  # another order each time
        for situation in situations[first:] + situations[:first]:
            found[situation.name].append(looked_at(situation, fit))
            speed, spent = found[situation.name][-1]
            print(f"{repeat + 1}/{repeats} {situation.name}: {speed / 1e6:.3f} M samples/s, "
                  f"{spent.percent:.2f} %", file=sys.stderr)  # fmt: skip
    return [row(s, found[s.name]) for s in situations]


def row(situation: Situation, found: list[tuple[float, Spent]]) -> Row:
    """Return what a situation costs: medians of its repetitions."""
    speeds = [speed / 1e6 for speed, _ in found]
    percent = statistics.median(spent.percent for _, spent in found)
    training = statistics.median(100 * spent.training / spent.fit for _, spent in found)
    others = statistics.median(100 * spent.others / spent.fit for _, spent in found)
    within = "" if not situation.limited else "yes" if percent < LIMIT_PERCENT else "NO"
    return {
        "who looks on": situation.name,
        "thread that trains, %": round(training, 2),
        "other threads, % of a core": round(others, 2),
        "together, % of the fit": round(percent, 2),
        f"below {LIMIT_PERCENT:g} %": within,
        "before the first step, s": round(statistics.median(s.opening for _, s in found), 2),
        "M samples/s": round(statistics.median(speeds), 3),
        "least": round(min(speeds), 3),
        "most": round(max(speeds), 3),
    }


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--device", default="cpu", help="cpu, or an API of the GPU engine")
    parser.add_argument("--preset", default="grid")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each fit")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", help="situations whose name has this, beside the first")
    parser.add_argument("--be", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.be is not None:
        with suppress(ConnectionClosed):
            look_on(given.be, given.port)
        return
    pictures = find_pictures([PICTURE])
    if not pictures:
        sys.exit("nothing to measure")
    engine = "torch" if given.device == "cpu" else "gpu"
    options = neuralshade.FitOptions(engine=engine, device=given.device)
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        fit = {"picture": pictures[PICTURE], "output": Path(folder) / "x.nsh", "options": options,
               "preset": given.preset, "seconds": given.seconds}  # fmt: skip
        kept = [s for s in SITUATIONS[1:] if given.only is None or given.only in s.name]
        rows = measured([SITUATIONS[0], *kept], fit, given.repeats)
    facts = {"fit": f"fit image {PICTURE} --preset {given.preset} --seconds {given.seconds:g}",
             "repetitions": given.repeats, "device": given.device,
             "load": f"{before:.1f} before, {os.getloadavg()[0]:.1f} after"}  # fmt: skip
    write_results(f"live_cost_{given.device}", {"Speed of a fit that is looked at": rows}, facts)


if __name__ == "__main__":
    main()
