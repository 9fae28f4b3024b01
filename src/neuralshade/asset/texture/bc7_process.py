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

    # created anew: the default weighs colors for the eye, which would spoil normals
    parameters = etcpak.BC7CompressBlockParams()
    parameters.init_linear_weights()
    for name, value in settings.items():
        setattr(parameters, name, value)
    # etcpak trusts the size, and reads past the end of a shorter strip
    assert len(strip) == 4 * width * SIDE_PX, (len(strip), width)
    return bytes(etcpak.compress_bc7(strip, width, SIDE_PX, parameters))


def can_start_process() -> bool:
    """Return whether this Python can start a process; a packed program cannot."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def encode_in_process(strip: bytes, width: int, settings: Mapping[str, Any]) -> bytes:
    """Return ``encode_strip`` of a process; of this one where that fails, with a log entry."""
    order = json.dumps([[str(path) for path in sys.path if path], width, dict(settings)])
    # without site packages or settings of the environment: paths are passed
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
    """Encode a strip from standard input, with the settings in the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the parent
    sys.path[:], width, settings = json.loads(sys.argv[1])
    sys.stdout.buffer.write(encode_strip(sys.stdin.buffer.read(), width, settings))


if __name__ == "__main__":
    main()
