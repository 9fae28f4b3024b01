"""Ask in other processes, all at once, and wait so long and no longer."""

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
KILLED_S = 0.5  # what is not in a driver ends at once
PROBES = "neuralshade.verbs.doctor.probes"


def asked(names: Sequence[str], limit_s: float = LIMIT_S) -> dict[str, dict[str, Any]]:
    """Return what each probe of ``names`` found; one that found nothing says why in ``failed``.

    Who does not answer in time is killed and not waited for: a process in a driver that hangs
    does not end.
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
    # the very modules that this process would load, whatever lies in the working folder
    text = f"import sys; sys.path[:] = {sys.path!r}; import {PROBES} as p; p.answer({name!r})"
    try:
        output = tempfile.TemporaryFile()  # noqa: SIM115 - no pipe, which may fill; read later
    except OSError:  # no room, or no folder for it
        return None, None
    try:
        process = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.DEVNULL)  # fmt: skip
    except (OSError, TypeError, ValueError):  # no interpreter, or none of that name
        output.close()
        return None, None
    return process, output


def _read(output: IO[bytes], code: int) -> dict[str, Any]:
    with output:
        output.seek(0)
        lines = output.read().decode(errors="replace").split("\n")
    for line in reversed(lines):
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if isinstance(told, dict):
            return told
    ended = f"signal {-code}" if code < 0 else f"exit code {code}"
    return {"failed": f"it ended with {ended} and no answer"}
