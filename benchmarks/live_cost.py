"""What looking on costs a fit: samples/s with pages of all tempers, beside the same fit without.

    python benchmarks/live_cost.py [--device cpu] [--seconds 6] [--repeats 7] [--only hidden]

Writes results/live_cost_<cpu or API>.{json,md}. Needs kodim05.png below ../shared/data or the
folder that NEURALSHADE_DATA names. Pages run in processes of their own, as browsers do, on the
same machine: what they need themselves counts too where there are few cores. Repetitions of all
situations alternate. Medians are told; a cost is the median of those beside the fit without a page
of the same repetition, so that a machine that is busy for a while spoils little.
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
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared.pictures import find_pictures
from shared.results import write_results
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

import neuralshade
from neuralshade.verbs.live import Live

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


def samples_per_second(situation: Situation, fit: dict[str, Any]) -> float:
    """Return how fast a fit is while somebody looks on."""
    with ExitStack() as stack:
        if not situation.live:
            return neuralshade.fit_image(**fit).samples_per_second
        live = stack.enter_context(Live(port=0))
        if situation.temper is not None:
            for _ in range(situation.pages):
                process = page(situation.temper, live.server.access.port)
                stack.callback(end, process)
        return float(live.run(neuralshade.fit_image, **fit).samples_per_second)


def measured(situations: list[Situation], fit: dict[str, Any], repeats: int) -> list[Row]:
    """Return a row for each situation; the first of them is what the others are compared with."""
    found: dict[str, list[float]] = {situation.name: [] for situation in situations}
    samples_per_second(SITUATIONS[0], {**fit, "seconds": FEWEST_SECONDS})
    for repeat in range(repeats):
        first = repeat % len(situations)  # another order each time
        for situation in situations[first:] + situations[:first]:
            speed = samples_per_second(situation, fit)
            found[situation.name].append(speed)
            about = f"{repeat + 1}/{repeats} {situation.name}"
            print(f"{about}: {speed / 1e6:.3f} M samples/s", file=sys.stderr)
    return [row(s, found[s.name], found[situations[0].name]) for s in situations]


def row(situation: Situation, speeds: list[float], usual: list[float]) -> Row:
    """Return what a situation costs: in the middle of its repetitions, each beside its own."""
    costs = [100 * (1 - own / other) for own, other in zip(speeds, usual, strict=True)]
    cost = statistics.median(costs)
    within = "" if not situation.limited else "yes" if cost < LIMIT_PERCENT else "NO"
    return {
        "who looks on": situation.name,
        "M samples/s": round(statistics.median(speeds) / 1e6, 3),
        "least": round(min(speeds) / 1e6, 3),
        "most": round(max(speeds) / 1e6, 3),
        "cost %": round(cost, 2),
        f"below {LIMIT_PERCENT:g} %": within,
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
    with tempfile.TemporaryDirectory() as folder:
        fit = {"picture": pictures[PICTURE], "output": Path(folder) / "x.nsh", "options": options,
               "preset": given.preset, "seconds": given.seconds}  # fmt: skip
        kept = [s for s in SITUATIONS[1:] if given.only is None or given.only in s.name]
        rows = measured([SITUATIONS[0], *kept], fit, given.repeats)
    facts = {"fit": f"fit image {PICTURE} --preset {given.preset} --seconds {given.seconds:g}",
             "repetitions": given.repeats, "device": given.device}  # fmt: skip
    write_results(f"live_cost_{given.device}", {"Speed of a fit that is looked at": rows}, facts)


if __name__ == "__main__":
    main()
