"""live/channel: nobody waits, the newest wins, the history is whole."""

import json
import math
import threading

import numpy as np
import pytest

from neuralshade.live import channel as module
from neuralshade.live.channel import TooManyPagesError, finite
from neuralshade.live.client import MOST_LINES
from neuralshade.live.messages import (
    Control,
    FrameShown,
    Overlay,
    Pick,
    View,
    Visible,
)


def connected(channel):
    """Return a client that has read its hello."""
    client = channel.connect()
    channel.outgoing(client)
    return client


def sent(channel, client, mark, content=b"x"):
    """Draw for a client as the stage does; return the frame's id, None where none is wanted."""
    wanting = [pair for pair in channel.ready_views(mark) if pair[0] is client]
    if not wanting:
        return None
    number = channel.reserve(wanting, mark)
    channel.send_picture(client, {"type": "frame", "id": number}, [content])
    return number


def messages(channel, client):
    return {message["type"]: message for message in channel.outgoing(client)[0]}


def test_hello_comes_first_and_holds_everything(channel):
    channel.publish("fit", {"id": 2, "state": "running"})
    channel.publish("progress", {"step": 5, "loss": math.nan})
    channel.add_curve([[1, 0.1, 0.5, None], [2, 0.2, math.inf, 10.0]])
    client = channel.connect()
    (hello,), pictures = channel.outgoing(client)
    assert pictures == [] and client.ready.is_set()
    assert hello == {
        "type": "hello", "protocol": 1, "session": channel.session, "version": "1",
        "presets": ["grid"], "transforms": ["identity"], "scene": {"id": 1, "name": "a.png"},
        "fit": {"id": 2, "state": "running"}, "progress": {"step": 5, "loss": None},
        "quality": None, "preparing": None, "measuring": [],
        "curve": [[1, 0.1, 0.5, None], [2, 0.2, None, 10.0]],
    }  # fmt: skip
    assert channel.hello() == hello
    json.loads(json.dumps(hello), parse_constant=pytest.fail)


def test_hello_comes_first_whatever_happens_meanwhile(channel):
    client = channel.connect()
    channel.publish("progress", {"step": 5})
    for _ in range(2 * MOST_LINES):
        channel.note("x")
    told = channel.outgoing(client)[0]
    assert [said["type"] for said in told] == ["hello", "progress"] + ["note"] * MOST_LINES
    assert all(said["type"] != "hello" for said in channel.outgoing(client)[0])


def test_no_view_no_frame(channel):
    client = connected(channel)
    assert channel.ready_views(1) == []
    channel.receive(client, View(1, 99))  # of a scene that is gone
    assert channel.ready_views(1) == []


def test_one_frame_in_flight(channel, view):
    client = connected(channel)
    channel.receive(client, view())
    first = sent(channel, client, mark=1)
    assert first is not None and sent(channel, client, mark=2) is None
    channel.receive(client, FrameShown(first + 1))  # not what it was sent
    assert sent(channel, client, mark=2) is None
    channel.receive(client, view(2))  # another part of it does not hurry anything
    assert sent(channel, client, mark=2) is None
    channel.receive(client, FrameShown(first))
    assert sent(channel, client, mark=2) == first + 1


def test_nothing_is_drawn_twice(channel, view):
    client = connected(channel)
    channel.receive(client, view())
    channel.receive(client, FrameShown(sent(channel, client, mark=1)))
    assert channel.ready_views(1) == []
    channel.receive(client, view(2))
    assert channel.ready_views(1) == [(client, view(2))]


def test_a_hidden_page_gets_no_frames(channel, view):
    client = connected(channel)
    channel.receive(client, view())
    channel.receive(client, Visible(False))
    assert channel.ready_views(1) == []
    channel.receive(client, Visible(True))
    assert channel.ready_views(1) == [(client, view())]


def test_another_scene_takes_views_away(channel, view):
    client = connected(channel)
    channel.receive(client, view())
    client.kept["target"] = view()
    channel.publish("scene", {"id": 2, "name": "b.png"})
    assert channel.ready_views(1) == [] and client.kept == {}
    channel.receive(client, view(2))  # of the scene before
    assert channel.ready_views(1) == []
    channel.receive(client, View(3, 2))
    assert [asked.id for _, asked in channel.ready_views(1)] == [3]


def test_a_page_is_slow_until_it_is_not(channel, view, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    client = connected(channel)
    channel.receive(client, view())
    for wait, slow in ((1.5, True), (0.2, False)):
        number = sent(channel, client, mark=wait)
        now[0] += wait
        channel.receive(client, FrameShown(number))
        assert client.slow is slow


def test_of_what_replaces_its_kind_the_newest_waits(channel):
    client = connected(channel)
    for step in range(1000):
        channel.publish("progress", {"step": step})
        channel.publish("fit", {"id": 1, "text": str(step)})
    told = channel.outgoing(client)[0]
    assert told == [{"type": "progress", "step": 999},
                    {"type": "fit", "fit": {"id": 1, "text": "999"}}]  # fmt: skip
    assert channel.outgoing(client) == ([], [])


def test_a_page_that_never_reads_costs_no_memory(channel, view):
    client = channel.connect()
    channel.receive(client, view())
    for step in range(500):
        channel.publish("progress", {"step": step})
        channel.note("x" * 100)
        channel.send(client, {"type": "values", "id": step})
        channel.add_curve([[step, step, 0.5, None]])
        number = sent(channel, client, mark=step, content=bytes([step % 256]) * 1000)
        channel.send_picture(client, {"type": "overlay", "name": "grid"}, [bytes(1000)])
        if number is not None:
            channel.receive(client, FrameShown(number))  # it lies: it read nothing
    assert len(client.lines) == MOST_LINES and set(client.latest) == {"progress"}
    assert sum(map(len, client.pictures.values())) < 3000
    newest = client.pictures["frame "]
    assert newest.endswith(bytes([499 % 256]) * 1000)
    assert not hasattr(client, "curve")  # its place in the history alone


def test_the_history_goes_on_where_a_page_left_off(channel):
    channel.add_curve([[1, 0.1, 0.5, None]])
    client = channel.connect()
    hello = messages(channel, client)["hello"]
    channel.add_curve([[2, 0.2, 0.4, None]])
    channel.add_curve([[3, 0.3, 0.3, 20.0]])
    more = messages(channel, client)["curve"]
    assert more == {"type": "curve", "reset": False,
                    "points": [[2, 0.2, 0.4, None], [3, 0.3, 0.3, 20.0]]}  # fmt: skip
    assert "curve" not in messages(channel, client)
    again = messages(channel, channel.connect())["hello"]
    assert again["curve"] == hello["curve"] + more["points"] == channel.curve


def test_another_fit_begins_another_history(channel):
    client = connected(channel)
    channel.add_curve([[1, 0.1, 0.5, None]])
    channel.new_curve([[7, 0.7, 0.1, 30.0]])
    told = messages(channel, client)["curve"]
    assert told == {"type": "curve", "reset": True, "points": [[7, 0.7, 0.1, 30.0]]}
    channel.new_curve()
    assert messages(channel, client)["curve"] == {"type": "curve", "reset": True, "points": []}


def test_a_long_history_is_thinned_and_keeps_both_ends(channel):
    client = connected(channel)
    points = [[step, step / 10, 0.5, None] for step in range(1, module.MOST_CURVE + 2)]
    for begin in range(0, len(points), 1001):
        channel.add_curve(points[begin : begin + 1001])
        channel.outgoing(client)
    assert module.MOST_CURVE / 2 <= len(channel.curve) <= module.MOST_CURVE
    assert channel.curve[0] == points[0]
    gaps = np.diff([point[0] for point in channel.curve])
    assert set(gaps.tolist()) <= {1, 2}
    channel.add_curve([[10**6, 1e5, 0.1, None]])
    assert messages(channel, client)["curve"] == {
        "type": "curve", "reset": False, "points": [[10**6, 1e5, 0.1, None]]}  # fmt: skip
    late = connected(channel)
    assert late.curve_from == client.curve_from == len(channel.curve)


def test_pages_see_the_thinned_history(channel, monkeypatch):
    monkeypatch.setattr(module, "MOST_CURVE", 10)
    client, seen = connected(channel), []
    for step in range(100):
        channel.add_curve([[step, step, 0.5, None]])
        told = messages(channel, client)["curve"]
        seen = told["points"] if told["reset"] else seen + told["points"]
        assert seen == channel.curve and len(seen) <= 10
    assert seen[-1][0] >= 96


def test_only_so_many_pages_and_requests(channel):
    clients = [connected(channel) for _ in range(module.MOST_CLIENTS)]
    with pytest.raises(TooManyPagesError):
        channel.connect()
    for number in range(module.MOST_REQUESTS):
        assert channel.receive(clients[number % 5], Control("reset", {"seed": number}))
    assert not channel.receive(clients[0], Control("pause", {}))
    assert channel.ask("asset") is None
    assert channel.receive(clients[0], Visible(False))  # waits for nobody
    taken = channel.take()
    seeds = [request.what.settings["seed"] for request in taken]
    assert seeds == list(range(module.MOST_REQUESTS))
    assert channel.receive(clients[0], Control("pause", {})) and channel.take() != []
    channel.disconnect(clients[0])
    channel.disconnect(clients[0])
    connected(channel)


def test_of_what_a_page_points_at_only_the_newest_waits(channel):
    one, other = connected(channel), connected(channel)
    for number in range(1000):
        assert channel.receive(one, Pick(number, 1, 0.5, 0.5))
        assert channel.receive(one, Overlay(1, f"grid {number}"))
    assert channel.receive(other, Pick(7, 1, 0.5, 0.5))
    first, second, third = channel.take()
    assert (first.what.id, second.what.name, third.what.id) == (999, "grid 999", 7)
    assert channel.receive(one, Pick(1001, 1, 0.5, 0.5))
    channel.put_off(first)  # there is a newer one by now
    channel.put_off(third)
    assert [request.what.id for request in channel.take()] == [1001, 7]


def test_who_asks_wakes_the_thread_that_trains(channel):
    channel.take()
    asking = threading.Timer(0.05, lambda: channel.ask("asset"))
    asking.start()
    channel.wait(20)
    asking.join()
    assert [request.what for request in channel.take()] == ["asset"]


def test_json_has_no_infinity():
    value = {"a": [1.5, math.nan, (math.inf, -math.inf)], "b": {"c": math.nan}, "d": "nan", "e": 3}
    assert finite(value) == {"a": [1.5, None, [None, None]], "b": {"c": None}, "d": "nan", "e": 3}
