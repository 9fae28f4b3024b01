"""Worker processes for etcpak's BC7 encoder, which holds Python's lock.

A process runs this file by its path, and imports nothing but etcpak: that takes 0.05 s.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

BLOCK_BYTES, SIDE_PX = 16, 4

log = logging.getLogger("neuralshade")


def encode_strip(strip: bytes, width: int, settings: Mapping[str, Any]) -> bytes:
    """Return the blocks of a picture of 4 rows: uint8 [4, width, 4] as bytes.

    ``settings``: of etcpak's BC7CompressBlockParams.
    """
    import etcpak

    # made anew: without, etcpak weighs colors for the eye, which would spoil normals
    asked = etcpak.BC7CompressBlockParams()
    asked.init_linear_weights()
    for name, value in settings.items():
        setattr(asked, name, value)
    # etcpak trusts the size that it is told, and reads past the end of less
    assert len(strip) == 4 * width * SIDE_PX, (len(strip), width)
    return bytes(etcpak.compress_bc7(strip, width, SIDE_PX, asked))


def can_start_process() -> bool:
    """Return whether a process of this Python can be started: not out of a packed program."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def encode_in_process(strip: bytes, width: int, settings: Mapping[str, Any]) -> bytes:
    """Return ``encode_strip`` of a process; of this one where that fails, which is logged."""
    order = json.dumps([[str(path) for path in sys.path if path], width, dict(settings)])
    # no site packages of its own, and no settings of the environment: paths are told
    command = [sys.executable, "-I", "-S", os.path.abspath(__file__), order]
    try:
        done = subprocess.run(command, input=strip, capture_output=True, check=False)
    except OSError as error:
        log.warning("bc7: got no process (%s), need none: this one goes on alone.", error)
        return encode_strip(strip, width, settings)
    if done.returncode or len(done.stdout) != width // SIDE_PX * BLOCK_BYTES:
        log.warning("bc7: got a process that ended with %d, need none: this one goes on alone.",
                    done.returncode)  # fmt: skip
        return encode_strip(strip, width, settings)
    return done.stdout


def main() -> None:
    """Encode what comes on standard input, as the first argument says."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who started this
    sys.path[:], width, settings = json.loads(sys.argv[1])
    sys.stdout.buffer.write(encode_strip(sys.stdin.buffer.read(), width, settings))


if __name__ == "__main__":
    main()
