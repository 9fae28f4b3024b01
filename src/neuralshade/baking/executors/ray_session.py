"""Connections to Ray clusters: refusals in one line, and nothing of Ray's own on the terminal.

Run as a module, it is the process that tries an address: Ray retries for minutes, then ends the
process that it runs in.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from neuralshade.base.cores import core_count
from neuralshade.base.message_text import plain
from neuralshade.base.optional import optional_module
from neuralshade.errors import ConfigError, DeviceError

MODULE = "neuralshade.baking.executors.ray_session"
AUTO, LOCAL = "auto", "local"
REACH_SECONDS = 5.0  # for its head's machine to answer
TRY_SECONDS = 30.0  # for the cluster to answer
STORE_BYTES = 100_000_000  # of a cluster's object store; jobs and rows do not go through it
QUIET = {"log_to_driver": False, "configure_logging": False, "logging_level": "CRITICAL"}
SIGNALS = (signal.SIGTERM, signal.SIGINT)
# with tokens, a cluster does not answer a process without, and does not say why
START = "Start one with: ray start --head. Where it has tokens, set RAY_AUTH_MODE=token here, too."


def ray_module() -> Any:
    """Return the package ray. Raises DeviceError where it is missing."""
    return optional_module("ray", "ray", "--ray", "for a cluster",
                           "Install neuralshade[ray], or leave --ray out.")  # fmt: skip


def connect(address: str) -> bool:
    """Connect this process to a cluster, and return whether ``disconnect`` may undo that.

    Args:
        address: HOST:PORT, "auto" for that of RAY_ADDRESS or the cluster of this machine, or
            "local" to start one. A process that called ``ray.init`` keeps its connection.

    Raises: ConfigError for a Ray Client's address; DeviceError where no cluster answers.
    """
    ray = ray_module()
    if ray.is_initialized():
        return False
    if address == AUTO:
        address = os.environ.get("RAY_ADDRESS") or AUTO  # as Ray has it
    if "://" in address:
        raise ConfigError(f"ray: got {plain(address)}, an address of Ray Client, need HOST:PORT of "
                          "the head, or auto. Bake on a machine of the cluster.")  # fmt: skip
    if address != LOCAL:
        _try(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with _unchanged_signals():
        _init(ray, address)
    _silence_nodes(ray)
    return True


def disconnect() -> None:
    """Leave the cluster; a local one ends."""
    ray_module().shutdown()


def _init(ray: Any, address: str) -> None:
    logging.getLogger("ray").setLevel(logging.CRITICAL)  # a line on tokens, for one
    if address != LOCAL:
        ray.init(address=address, **QUIET)
        return
    ray.init(address=LOCAL, num_cpus=core_count(), include_dashboard=False,
             object_store_memory=STORE_BYTES, **QUIET)  # fmt: skip


@contextmanager
def _unchanged_signals() -> Iterator[None]:
    """Undo what Ray does to signals: Ctrl-C and SIGTERM are the driver's."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        if handler is not None:
            signal.signal(number, handler)


def _silence_nodes(ray: Any) -> None:
    """Keep the deaths of workers and nodes, which the executor reports, off standard output."""
    worker: Any = getattr(ray._private, "worker", None)
    if hasattr(worker, "_worker_logs_enabled"):  # else they are printed
        worker._worker_logs_enabled = False


def _try(address: str) -> None:
    """Raise DeviceError where no cluster answers."""
    if address != AUTO:
        _reach(address)
    words = [sys.executable, "-m", MODULE, address]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:  # fmt: skip
        try:
            said = process.communicate(timeout=TRY_SECONDS)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said = f"no answer of Ray in {TRY_SECONDS:g} s"
    if process.returncode != 0:
        raise _unreachable(address, said or f"exit code {process.returncode}")


def _reach(address: str) -> None:
    """Raise DeviceError where no program listens at HOST:PORT."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) >= 2**16:
        raise ConfigError(f"ray: got {plain(address)}, need HOST:PORT, {AUTO} or {LOCAL}. The port "
                          "of a head is 6379 unless it was started with another.")  # fmt: skip
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except OSError as error:
        raise _unreachable(address, error.strerror or str(error)) from error


def _unreachable(address: str, said: str) -> DeviceError:
    where = "on this machine" if address == AUTO else f"at {plain(address)}"
    reason = plain(" ".join(said.split()).partition(". ")[0])[:200].rstrip(".")
    return DeviceError(f"ray: got no cluster {where} ({reason}), need one that runs. {START}")


def main() -> None:
    """Connect to the address on the command line; exit with 1 and the reason if that fails."""
    try:
        _init(ray_module(), sys.argv[1])
    except BaseException as error:  # SystemExit among them
        print(str(error) or type(error).__name__, flush=True)
        os._exit(1)
    os._exit(0)  # an orderly end takes a second


if __name__ == "__main__":
    main()
