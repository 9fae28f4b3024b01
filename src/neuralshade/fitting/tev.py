"""Snapshots of a fit in a running tev viewer, https://github.com/Tom94/tev.

Its protocol has packets of little-endian numbers and strings that end in a zero byte; two packet
types are implemented here. Not through SlangPy, whose client reports success without a server
and has no timeout; nor through the package tevclient, which has no timeout either and does not
support Python 3.10.
"""

import logging
import socket
import struct
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.fitting.callback import Callback
from neuralshade.source.channels import multiply_by_alpha
from neuralshade.source.color import srgb_to_linear
from neuralshade.source.picture import Picture, PictureForm

PORT = 14158  # default port of tev
CONNECT_SECONDS = 2.0  # timeout of the connection, once, before the fit
SEND_SECONDS = 1.0  # timeout of a packet
CREATE, UPDATE = 4, 6  # packet types; the latter in its form with strides
NAMES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}  # of channels, one letter each

log = logging.getLogger("neuralshade")


def check_tev(address: str | None) -> None:
    """Check before a fit that a viewer listens at ``address``; None is no viewer.

    Raises: ConfigError for something else than HOST or HOST:PORT, DeviceError where no
        viewer listens.
    """
    if address is not None:
        _connected(address).close()


class Tev(Callback):
    """Shows each snapshot in place of the last; stops after the first that is not received."""

    def __init__(self, address: str, picture: Picture | PictureForm):
        self.address, self.linear = address, picture.color_space == "linear"
        self.name = f"neuralshade {picture.name}"
        self.created = False
        self.socket: socket.socket | None = _connected(address)

    def take(self, step: int, drawn: npt.NDArray[Any]) -> None:
        """Send the snapshot; log the first error and stop sending."""
        if self.socket is None:
            return
        try:
            if not self.created:
                self.socket.sendall(create_packet(self.name, drawn))
                self.created = True
            self.socket.sendall(update_packet(self.name, light(drawn, self.linear)))
        except OSError as error:
            self.close()
            log.warning("tev: got '%s' from %s at step %d, need a viewer that receives. The fit "
                        "goes on without it.", _reason(error), self.address, step)  # fmt: skip

    def close(self) -> None:
        """Disconnect; the picture stays in the viewer."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None


def light(drawn: npt.NDArray[Any], linear: bool) -> npt.NDArray[np.float32]:
    """Return ``drawn`` as tev expects it: linear, premultiplied by alpha.

    Args:
        drawn: float32 [h, w, C], C in 1..4, with alpha as in Picture.
        linear: whether it is linear already; sRGB otherwise.
    """
    values = drawn.astype(np.float32)
    if linear:
        return values
    has_alpha = values.shape[2] in (2, 4)
    colors = values.shape[2] - has_alpha
    values[..., :colors] = srgb_to_linear(values[..., :colors])
    if has_alpha:
        multiply_by_alpha(values)
    return values


def create_packet(name: str, drawn: npt.NDArray[Any]) -> bytes:
    """Return the packet that creates an empty picture, or replaces that of the same name."""
    height, width, channels = drawn.shape
    sizes = struct.pack("<3i", width, height, channels)
    return _packet(CREATE, True, name, sizes, *map(_text, NAMES[channels]))


def update_packet(name: str, values: npt.NDArray[np.float32]) -> bytes:
    """Return the packet that fills the whole picture with ``values``: [h, w, C], interleaved."""
    height, width, channels = values.shape
    places = struct.pack("<4i", 0, 0, width, height)  # x, y of the corner first
    # offset of each channel's first value, then the stride between two of its values
    layout = struct.pack(f"<{2 * channels}q", *range(channels), *[channels] * channels)
    return _packet(UPDATE, False, name, struct.pack("<i", channels),
                   *map(_text, NAMES[channels]), places, layout,
                   values.astype("<f4", order="C").tobytes())  # fmt: skip


def _packet(kind: int, focused: bool, name: str, *parts: bytes) -> bytes:
    """Return a packet: its size in bytes, kind, whether tev selects the picture, name, ..."""
    body = b"".join([struct.pack("<b?", kind, focused), _text(name), *parts])
    return struct.pack("<I", 4 + len(body)) + body


def _text(text: str) -> bytes:
    return text.encode("utf-8", "replace") + b"\0"


def _connected(address: str) -> socket.socket:
    """Return a connection to the viewer at ``address``, with a timeout of SEND_SECONDS."""
    place = _place(address)
    try:
        connection = socket.create_connection(place, CONNECT_SECONDS)
    except OSError as error:
        raise DeviceError(f"tev: got '{_reason(error)}' from {place[0]}:{place[1]}, need a tev "
                          "viewer that listens. Start tev there first, or leave --tev "
                          "out.") from error  # fmt: skip
    connection.settimeout(SEND_SECONDS)
    return connection


def _place(address: str) -> tuple[str, int]:
    """Return host and port; an IPv6 address is in brackets, as in a URL."""
    try:
        parts = urlsplit(f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:  # not a number, or beyond 65535
        host = port = None
    if not host or port == 0 or parts.netloc != address or "@" in address:
        raise ConfigError(f"tev: got {address!r}, need HOST or HOST:PORT. "
                          f"Write for example localhost:{PORT}.")  # fmt: skip
    return host, PORT if port is None else port


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
