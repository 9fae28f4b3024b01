"""fitting/tev: snapshots reach a viewer that speaks tev's protocol, and no fit waits for one."""

import logging
import socket
import struct
import threading
import time

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.cli.main import main
from neuralshade.errors import ConfigError, DeviceError
from neuralshade.fitting.tev import PORT, Tev, _place, light
from neuralshade.source.color import srgb_to_linear


class Reader:
    """Takes a packet apart, in the order in which tev's own reader does."""

    def __init__(self, packet):
        self.packet, self.at = packet, 4

    def numbers(self, form, count=1):
        size = struct.calcsize(f"<{count}{form}")
        self.at += size
        return list(struct.unpack(f"<{count}{form}", self.packet[self.at - size : self.at]))

    def text(self):
        end = self.packet.index(b"\0", self.at)
        text, self.at = self.packet[self.at : end].decode(), end + 1
        return text

    def image(self):
        kind, focused = self.numbers("b")[0], self.numbers("?")[0]
        image = {"kind": kind, "focused": focused, "name": self.text()}
        if kind == 4:
            image["size"], (count,) = self.numbers("i", 2), self.numbers("i")
            image["channels"] = [self.text() for _ in range(count)]
        else:
            assert kind == 6
            (count,) = self.numbers("i")
            image["channels"] = [self.text() for _ in range(count)]
            *image["corner"], width, height = self.numbers("i", 4)
            offsets, strides = self.numbers("q", count), self.numbers("q", count)
            values = np.frombuffer(self.packet, "<f4", offset=self.at)
            self.at += values.nbytes
            planes = [values[o::s][: width * height] for o, s in zip(offsets, strides, strict=True)]
            image["values"] = np.stack(planes, axis=1).reshape(height, width, count)
        assert self.at == len(self.packet)
        return image


class Viewer:
    """Listens like tev and keeps what it is shown; connections without a packet leave nothing."""

    def __init__(self, packets=None):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.server.getsockname()[1]}"
        self.packets = packets  # after which it vanishes; None for never
        self.images = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            client, _ = self.server.accept()
            with client, client.makefile("rb") as stream:
                while size := stream.read(4):
                    (length,) = struct.unpack("<I", size)
                    if length == 0:  # no packet: see close
                        return
                    self.images.append(Reader(size + stream.read(length - 4)).image())
                    if len(self.images) == self.packets:
                        self.server.close()
                        return

    def close(self):
        """Wait until everything that was sent is read, then stop listening."""
        with socket.create_connection(self.server.getsockname()) as last:  # served last
            last.sendall(struct.pack("<I", 0))
        self.thread.join(5)
        assert not self.thread.is_alive()
        self.server.close()


def fit(picture, tmp_path, settings, address, **options):
    options = FitOptions(tev=address, **options)
    return neuralshade.fit_image(picture, tmp_path / "x.nsh", options=options, **settings)


def test_snapshots_update_one_picture(tmp_path, save_smooth, few):
    viewer, folder = Viewer(), tmp_path / "snaps"
    fit(save_smooth(height=24), tmp_path, few, viewer.address, snapshots=folder)
    viewer.close()
    created, *updates = viewer.images
    assert created == {"kind": 4, "focused": True, "name": "neuralshade a.png", "size": [36, 24],
                       "channels": ["R", "G", "B"]}  # fmt: skip
    paths = sorted(folder.glob("prediction_*"))
    assert len(updates) == len(paths) == 11
    for update, path in zip(updates, paths, strict=True):
        assert (update["name"], update["focused"]) == ("neuralshade a.png", False)
        assert (update["corner"], update["channels"]) == ([0, 0], ["R", "G", "B"])
        snapshot = srgb_to_linear(neuralshade.load_picture(path).as_float())
        # half a level of 8 bits, where the curve is steepest
        np.testing.assert_allclose(update["values"], snapshot, atol=0.5 / 255 * 2.3)


@pytest.mark.slow
def test_hdr_is_sent_as_it_is(tmp_path, save_smooth, few):
    viewer = Viewer()
    fit(save_smooth("a.exr", peak=40), tmp_path, few | {"steps": 200}, viewer.address)
    viewer.close()
    drawn = neuralshade.render(tmp_path / "x.nsh")
    assert viewer.images[-1]["values"].max() > 2
    np.testing.assert_allclose(viewer.images[-1]["values"], drawn, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels, names", [(1, "L"), (2, "LA"), (3, "RGB"), (4, "RGBA")])
def test_channels(channels, names):
    viewer = Viewer()
    drawn = np.random.default_rng(0).random((3, 5, channels), np.float32)
    tev = Tev(viewer.address, neuralshade.picture_from_array(drawn))
    tev.take(1, drawn)
    tev.close()
    viewer.close()
    assert [image["channels"] for image in viewer.images] == [list(names)] * 2
    assert np.array_equal(viewer.images[1]["values"], light(drawn, False))


def test_color_is_linear_and_multiplied_by_alpha():
    drawn = np.float32([[[0, 0.5, 1, 0.25]]])
    half = 0.25 * ((0.5 + 0.055) / 1.055) ** 2.4
    np.testing.assert_allclose(light(drawn, False), [[[0, half, 0.25, 0.25]]], rtol=1e-6)
    assert np.array_equal(light(drawn, True), drawn)
    assert drawn.tolist() == [[[0, 0.5, 1, 0.25]]]


def test_a_viewer_that_vanishes_is_told_once(tmp_path, save_smooth, few, caplog):
    viewer = Viewer(packets=3)
    with caplog.at_level(logging.WARNING, "neuralshade"):
        result = fit(save_smooth(), tmp_path, few | {"steps": 200}, viewer.address)
    assert result.steps == 200 and (tmp_path / "x.nsh").exists()
    assert len(viewer.images) == 3
    message, *others = caplog.messages
    assert others == list(result.warnings)
    told, _, rest = message.partition(" at step ")
    assert told in (f"tev: got 'Broken pipe' from {viewer.address}",
                    f"tev: got 'Connection reset by peer' from {viewer.address}")  # fmt: skip
    assert rest.partition(",")[2] == " need a viewer that receives. The fit goes on without it."


def test_a_viewer_that_does_not_read_is_waited_for_once(monkeypatch, caplog):
    monkeypatch.setattr("neuralshade.fitting.tev.SEND_SECONDS", 0.2)
    large = np.zeros((2048, 2048, 3), np.float32)  # 50 MB: more than sockets buffer
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        tev = Tev(address, neuralshade.picture_from_array(large))
        began = time.perf_counter()
        with caplog.at_level(logging.WARNING, "neuralshade"):
            for step in range(1, 20):
                tev.take(step, large)
        assert time.perf_counter() - began < 5  # one wait and one conversion, not nineteen
    assert caplog.messages == [f"tev: got 'timed out' from {address} at step 1, need a viewer that "
                               "receives. The fit goes on without it."]  # fmt: skip


def refusal(kind, tmp_path, picture, address):
    def never(progress):
        raise AssertionError("it trains")

    with pytest.raises(kind) as caught:
        neuralshade.fit_image(picture, tmp_path / "x.nsh", observer=never,
                              options=FitOptions(tev=address))  # fmt: skip
    assert "\n" not in str(caught.value)
    assert [path for path in tmp_path.iterdir() if path != picture] == []
    return str(caught.value)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_nobody_listening_is_refused_before_training(tmp_path, save_smooth):
    address = f"127.0.0.1:{free_port()}"
    assert refusal(DeviceError, tmp_path, save_smooth(), address) == (
        f"tev: got 'Connection refused' from {address}, need a tev viewer that listens. "
        "Start tev there first, or leave --tev out."
    )


@pytest.mark.parametrize("address", ["", ":", ":14158", "localhost:x", "a:0", "a:65536",
                                     "a/b:1", "a@b:1", "a:1?", "::1"])  # fmt: skip
def test_addresses_refused(tmp_path, save_smooth, address):
    assert refusal(ConfigError, tmp_path, save_smooth(), address) == (
        f"tev: got {address!r}, need HOST or HOST:PORT. Write for example localhost:14158."
    )


@pytest.mark.parametrize("address, place", [("localhost", ("localhost", PORT)),
                                            ("localhost:", ("localhost", PORT)),
                                            ("10.0.0.7:99", ("10.0.0.7", 99)),
                                            ("[::1]:99", ("::1", 99)),
                                            ("[fe80::2]", ("fe80::2", PORT))])  # fmt: skip
def test_addresses(address, place):
    assert _place(address) == place


@pytest.mark.parametrize("verb", ["image", "splats"])
def test_flag(tmp_path, save_smooth, capsys, verb):
    address = f"127.0.0.1:{free_port()}"
    with pytest.raises(SystemExit) as leaving:
        main(["fit", verb, str(save_smooth()), "-o", str(tmp_path / "x.nsh"), "--tev", address])
    assert leaving.value.code == 1
    message = capsys.readouterr().err
    assert message.startswith(f"neuralshade: tev: got 'Connection refused' from {address}, need ")
    assert message.count("\n") == 1
