"""docs/events.md, docs/events-live.md: their lists have every name that is sent and taken."""

import dataclasses
import json
import pathlib
import re
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.fitting.facts import NO_STATE, fit_facts, progress_facts
from neuralshade.fitting.picture_scene import picture_scene
from neuralshade.fitting.progress import Progress
from neuralshade.fitting.scene import View
from neuralshade.kinds import all_kinds
from neuralshade.live.app import App
from neuralshade.live.channel import Channel
from neuralshade.live.fit_request import startable
from neuralshade.live.live import Live
from neuralshade.live.messages import ACTIONS, READERS
from neuralshade.live.page_renderer import PageRenderer
from neuralshade.source.picture import PictureForm

DOCS = pathlib.Path(__file__).parents[2] / "docs"
PAGE = "".join((DOCS / name).read_text() for name in ("events.md", "events-live.md"))
OF_VIEWS = {"tone": ("exposure", "gamma"), "screen": (), "draft": ()}  # the last two are ours


def part(begin, end="\n\n"):
    """Return the names in ticks of what begins so."""
    text = PAGE.partition(begin)[2].partition(end)[0]
    assert text, begin
    return set(re.findall(r"`(\w+)`", text))


def row(name, after="# Events for programs"):
    """Return the names of a row of the first table behind ``after`` that has it."""
    found = re.search(rf"^\| `{name}` \|(.*)\|$", PAGE.partition(after)[2], re.M)
    return set(re.findall(r"`(\w+)`", found[1]))


@pytest.fixture
def scene():
    form = PictureForm(40, 30, 3, "srgb", "a.png")
    grey = lambda width, height, crop: np.zeros((height, width, 3), np.float32)  # noqa: E731
    return picture_scene("image", form, grey, continuous=True)


def test_verbs_are_those_of_the_kinds():
    assert row("verb") == {kind.name for kind in all_kinds() if kind.fits is not None}


def test_how_a_fit_stands():
    kind = SimpleNamespace(name="image", rated=True)
    job = SimpleNamespace(recipe=SimpleNamespace(seed=0, seconds=1.0, steps=None), kind=kind,
                          original=SimpleNamespace(name="a.png"), output="a.nsh")  # fmt: skip
    table = PAGE.partition("FIT: how a fit stands.")[2].partition("\n\nPROGRESS")[0]
    first = re.findall(r"^\| (.*?) \|", table, re.M)
    told = {*fit_facts(job, 1, None), *NO_STATE, "state", "text", "rate_scale", "can"}
    assert set(re.findall(r"`(\w+)`", " ".join(first))) == told
    assert progress_facts(Progress()).keys() <= part("\nPROGRESS: ", end="\nPOINT: ")


def test_what_a_scene_is_told_by(scene):
    """`turned` and `withheld` were sent and not listed."""
    assert scene.facts(1).keys() <= part("\nSCENE: ", end="\n**From the server, binary")


def test_what_pages_are_greeted_with():
    with Live(port=0) as live:
        hello = live.channel.hello()
    assert hello.keys() - {"type"} <= row("hello")
    for kind in startable():
        assert kind.keys() <= row("hello")


def test_headers_of_frames(scene):
    channel = Channel()
    renderer = PageRenderer(channel)
    renderer.show(scene)
    client = channel.connect()
    channel.receive(client, View(1, renderer.number, width=40, height=30, panes=("result",)))
    renderer.draw(None, hurried=False)
    renderer.close()
    (content,) = channel.outgoing(client)[1]
    header = json.loads(content[4 : 4 + struct.unpack("<I", content[:4])[0]])
    assert {*header, "rows"} - {"type"} <= row("frame")  # "rows" of bands alone
    assert header["images"][0].keys() <= row("frame")


def test_what_pages_may_say():
    to_server = "**To the server**"
    table = PAGE.partition(to_server)[2].partition("\n\nActions:")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.M)) == READERS.keys()
    named = [OF_VIEWS.get(f.name, (f.name,)) for f in dataclasses.fields(View)]
    assert {name for names in named for name in names} <= row("view", to_server)
    assert {"id", "scene", "u", "v", "level"} <= row("pick", to_server)
    assert set(ACTIONS) <= part("\nActions:", end="\n## ")


def test_what_is_asked_over_http():
    app = App(Channel(), SimpleNamespace(), SimpleNamespace(), SimpleNamespace())
    for route in app.asgi.routes:
        path = route.path.replace("{name}", "NAME")
        assert re.search(rf"`(GET|POST) {re.escape(path)}[`?]", PAGE), path
