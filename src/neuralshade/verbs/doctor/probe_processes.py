"""Probe processes: run in parallel, each with a timeout."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any

LIMIT_S = 15.0  # PyTorch from a cold disk takes several
EACH_S = 0.02
KILLED_S = 0.5  # normal processes end at once
PROBES = "neuralshade.verbs.doctor.probes"


def run_probes(names: Sequence[str], limit_s: float = LIMIT_S) -> dict[str, dict[str, Any]]:
    """Return the result of each probe of ``names``; a failed one has the reason in ``failed``.

    A probe that times out is killed without waiting for it: a process in a driver that hangs does
    not end.
    """
    began = time.monotonic()
    started = {name: _start(name) for name in names}
    found: dict[str, dict[str, Any]] = {}
    for name, (process, output) in started.items():
        if process is None or output is None:
            found[name] = {"failed": "no other process could be started"}
            continue
        while process.poll() is None and time.monotonic() - began < limit_s:
            time.sleep(EACH_S)
        if process.poll() is None:
            process.kill()
            output.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(KILLED_S)
            found[name] = {"failed": f"no answer within {limit_s:g} s: a driver hangs, or the "
                           "machine is busy", "late": True}  # fmt: skip
        else:
            found[name] = _read(output, process.returncode)
    return found


def _start(name: str) -> tuple[subprocess.Popen[bytes] | None, IO[bytes] | None]:
    # the modules of this process, whatever the working folder contains
    text = f"import sys; sys.path[:] = {sys.path!r}; import {PROBES} as p; p.answer({name!r})"
    try:
        output = tempfile.TemporaryFile()  # noqa: SIM115 - no pipe, which may fill; read later
    except OSError:  # no space, or no temporary folder
        return None, None
    try:
        process = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.DEVNULL)  # fmt: skip
    except (OSError, TypeError, ValueError):  # no interpreter, or an invalid path
        output.close()
        return None, None
    return process, output


def _read(output: IO[bytes], code: int) -> dict[str, Any]:
    with output:
        output.seek(0)
        lines = output.read().decode(errors="replace").split("\n")
    for line in reversed(lines):
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if isinstance(report, dict):
            return report
    ended = f"signal {-code}" if code < 0 else f"exit code {code}"
    return {"failed": f"it ended with {ended} and no answer"}
