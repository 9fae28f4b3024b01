"""live/progressive_drawing: pictures grow sharp, band by band, within the frames' share of time."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.fitting.progress import Progress
from neuralshade.fitting.scene import View
from neuralshade.live.fit_controller import FitController
from neuralshade.live.frame_budget import GROWTH, REDUCTIONS
from neuralshade.live.messages import FrameShown
from neuralshade.live.page_renderer import SHARE
from neuralshade.live.progressive_drawing import ProgressiveDrawing

SIDE = 200
NOTHING = np.zeros((0, 0, 3), np.float32)  # that a band shows


def put_together(frames, pane):
    """Return what a page has of a pane in the end, and by what its picture was divided then."""
    whole = {}
    for header, panes in frames:
        if pane not in panes:
            continue
        first, count, rows = header.get("rows", [0, header["height"], header["height"]])
        size = header["width"], rows
        picture = whole.setdefault(size, np.full((rows, header["width"], 3), np.nan))
        picture[first : first + count] = panes[pane]
        last = picture
    return last


def test_the_reference_becomes_sharp_and_is_not_sent_again(frames, looking, train, renderer):
    train(100.0, [looking()])
    shown = put_together(frames, "target")
    wanted = renderer.scene.draw("target", View(0, 0, width=SIDE, height=SIDE))
    np.testing.assert_array_equal(shown, wanted)
    sent = sum(panes["target"].shape[0] for header, panes in frames
               if "target" in panes and header["width"] == SIDE)  # fmt: skip
    assert sent == SIDE  # every row once


@pytest.mark.parametrize("seconds, by", [(20.0, 1), (5.0, 2), (1.0, 2)])
def test_the_last_step_is_drawn_whole_as_fine_as_the_fit_was_long(
    frames, looking, train, renderer, clock, seconds, by
):
    """No seam of two steps is left to look at while codes are searched and a report is written."""
    train(3.0, [looking()])
    begun = clock.now
    renderer.draw(1000, hurried=False, fit_seconds=seconds)
    header, panes = frames[-1]
    assert header["step"] == 1000 and "rows" not in header and "result" in panes
    assert header["width"] == -(-SIDE // by)
    assert seconds == 1.0 or clock.now - begun <= SHARE * seconds  # no coarser than what was there
    count = len(frames)
    renderer.draw(1000, hurried=False, fit_seconds=seconds)  # of the next phase
    assert len(frames) == count


def test_the_result_becomes_sharp_and_goes_on(frames, looking, train, clock):
    begun = clock.now
    train(100.0, [looking()])
    results = [(header, panes["result"]) for header, panes in frames if "result" in panes]
    assert "rows" not in results[0][0] and results[0][0]["width"] < SIDE  # at once, and coarse
    widths = [header["width"] for header, _ in results]
    assert widths[1:] == sorted(widths[1:])  # what the first one costs was not known
    assert widths[-1] == SIDE
    sharp = [header.get("rows", [0, SIDE, SIDE]) for header, _ in results
             if header["width"] == SIDE]  # fmt: skip
    rows = [row for first, count, _ in sharp for row in range(first, first + count)]
    assert len(rows) > 2 * SIDE and rows[:SIDE] == list(range(SIDE))
    spent = sum(panes.shape[0] * panes.shape[1] for _, panes in results) / SIDE**2
    assert 0.5 * SHARE * 100 < spent < 1.1 * SHARE * (clock.now - begun) + 1


def test_no_row_of_the_result_is_of_another_fit(frames, looking, train):
    """Of twice the steps a fit is another one, a few times a second in its beginning."""
    train(100.0, [looking()])
    shown = np.zeros(SIDE)  # the step of each row, of the height of the sharp picture
    for header, panes in frames:
        if "result" not in panes:
            continue
        first, count, rows = header.get("rows", [0, 1, 1])
        shown[first * SIDE // rows : (first + count) * SIDE // rows] = header["step"]
        assert shown.min() >= header["step"] / GROWTH**2 - 10, header


def test_a_band_takes_no_longer_than_a_frame_is_worth(frames, looking, train):
    train(100.0, [looking()])
    pixels = [panes["result"].size / 3 for header, panes in frames if "rows" in header
              and "result" in panes]  # fmt: skip
    assert max(pixels) <= max(2**12 + SIDE, 1.2 * 0.05 * SIDE**2)


def test_what_does_not_change_becomes_sharp_by_halves_and_has_every_other_turn(renderer, frames):
    """It may cost many times what the fit's own pictures do, and is not to be a mosaic for long."""
    drawing = ProgressiveDrawing(View(0, 1, width=SIDE, height=SIDE))
    panes = ["target", "result"]
    drawing.begun(tuple(panes), 8)
    drawn = []
    while band := drawing.next(renderer.scene, panes, lambda pane: 99 * SIDE):
        drawn.append((band.pane, band.by))
        drawing.drawn(band, NOTHING)
        if len(drawn) == 14:
            break
    assert [by for pane, by in drawn if pane == "target"] == [4, 2, 1, 1, 1]
    assert [pane for pane, _ in drawn[:4]] == ["result", "target"] * 2


def test_a_draft_becomes_fine_with_its_noise_and_loses_that_in_the_end(renderer, frames):
    drawing = ProgressiveDrawing(View(0, 1, width=SIDE, height=SIDE))
    drawing.begun(("target",), 4, draft=True)
    drawn, costs = [], set()

    def pixels(name):
        costs.add(name)
        return 99 * SIDE

    while band := drawing.next(renderer.scene, ["target"], pixels):
        assert band.view(renderer.scene).draft == band.draft
        drawn.append((band.by, band.draft))
        drawing.drawn(band, NOTHING)
    assert drawn == [(2, True), *[(1, True)] * 3, *[(1, False)] * 3]
    assert costs == {"draft:target", "target"}  # each is known by itself


@pytest.fixture
def drafted(renderer, frames, clock):
    """Let the reference cost eight seconds, and one as a draft."""
    scene, drafts = renderer.scene, []

    def draw(pane, view):
        if pane == "target" and view.width * view.height > 1:
            drafts.append(view.draft)
            clock.now += view.width * view.height / SIDE**2 * (1 if view.draft else 8)
            return np.zeros((view.height, view.width, 3), np.float32)
        return scene.draw(pane, view)

    renderer.scene = replace(scene, draw=draw, drafts={"target": 8.0}, stored=())
    return drafts


def test_a_reference_that_is_drafted_comes_whole_and_soon_and_is_sharp_in_the_end(
    drafted, frames, looking, train, clock
):
    begun, client = clock.now, looking()
    train(10.0, [client])
    headers = [header for header, panes in frames if "target" in panes]
    first = headers[0]
    assert "rows" not in first and not first["sharp"] and first["width"] * 3 >= SIDE and drafted[0]
    assert [header["draft"] for header in headers] == drafted
    train(170.0, [client])
    headers = [header for header, panes in frames if "target" in panes]
    assert headers[-1]["sharp"] and headers[-1]["width"] == SIDE and not drafted[-1]
    assert drafted == sorted(drafted, reverse=True)  # never noise again
    spent = sum(panes["target"].size / 3 / SIDE**2 * (8 if header["sharp"] else 1)
                for header, panes in frames if "target" in panes)  # fmt: skip
    assert spent < SHARE * (clock.now - begun)


def test_before_the_first_step_all_that_is_drawn_but_once_is_drawn(
    drafted, frames, looking, renderer, channel, clock
):
    client, begun = looking(), clock.now
    with renderer.opening():
        for _ in range(40):
            renderer.draw(0, hurried=True)
            channel.receive(client, FrameShown(client.in_flight))
    results = [header for header, panes in frames if "result" in panes]
    assert len(results) == 1  # it is to change with the first step
    assert [h for h, panes in frames if "target" in panes][-1]["sharp"]
    assert clock.now - begun > 8  # of no share of the time
    assert all(budget.credit == 0.0 for budget in renderer.budgets.values())


def test_no_band_is_a_small_rest(renderer, frames):
    view = View(0, 1, width=SIDE, height=SIDE)
    drawing = ProgressiveDrawing(view)
    drawing.begun(("target",), 3)
    counts = []
    while band := drawing.next(renderer.scene, ["target"], lambda pane: 99 * SIDE):
        counts.append(band.count)
        drawing.drawn(band, NOTHING)
    assert sum(counts) == SIDE and min(counts) >= 66


def test_who_asks_for_no_parts_gets_whole_frames(frames, channel, renderer, train):
    client = channel.connect()
    channel.receive(client, View(1, renderer.number, width=SIDE, height=SIDE, panes=("result",)))
    train(10.0, [client])
    assert frames and all("rows" not in header for header, _ in frames)


def test_another_view_begins_again_where_it_shows_something_else(renderer, frames):
    scene = renderer.scene
    view = View(0, 1, width=SIDE, height=SIDE)
    drawing = ProgressiveDrawing(view)
    drawing.begun(("target", "result"), 1)
    other = replace(view, light=(1.0, 2.0))
    assert ProgressiveDrawing.following(drawing, scene, other).fresh(["target", "result"]) == []
    part = replace(view, region=(0, 0, 0.5, 0.5))
    assert ProgressiveDrawing.following(drawing, scene, part).fresh(["target"]) == ["target"]


@pytest.mark.parametrize("by", REDUCTIONS)
def test_bands_are_the_rows_of_the_whole(renderer, frames, by):
    """Whatever a picture is divided by, and whatever part of it is seen."""
    scene = renderer.scene
    view = View(0, 1, region=(0.1, 0.2, 0.83, 0.95), width=146, height=150)
    drawing = ProgressiveDrawing(view)
    drawing.begun(("target",), by)
    scene = replace(scene, changes=("target",))
    rows, bands = [], 0
    while True:
        band = drawing.next(scene, ["target"], lambda pane: 1)
        if rows and band.first == 0:
            break
        rows.append(scene.draw("target", band.view(scene)))
        drawing.drawn(band, NOTHING)
        bands += 1
    whole = scene.draw("target", band.whole if band.by == drawing.panes["target"].by else
                       scene.fitted(view, drawing.panes["target"].by))  # fmt: skip
    np.testing.assert_array_equal(np.concatenate(rows), whole)


@pytest.mark.parametrize("shown_at_once", [True, False])
def test_the_opening_lasts_as_long_as_a_page_goes_on_asking(
    drafted, frames, looking, renderer, channel, clock, monkeypatch, shown_at_once
):
    client, looks = looking(), []

    def sleep(seconds):
        clock.now += seconds
        looks.append(seconds)
        if client.in_flight is not None and (shown_at_once or len(looks) % 40 == 0):
            channel.receive(client, FrameShown(client.in_flight))

    monkeypatch.setattr("neuralshade.live.fit_controller.time.sleep", sleep)
    monkeypatch.setattr("neuralshade.live.fit_controller.OPENING_SECONDS", 100.0)
    fit = SimpleNamespace(_is_open=False, renderer=renderer, channel=channel)
    begun = clock.now
    passed = FitController._open(fit, Progress(), lambda: False)
    assert passed == pytest.approx(clock.now - begun) and passed < 50
    assert [h for h, panes in frames if "target" in panes][-1]["sharp"]
    assert FitController._open(fit, Progress(), lambda: False) == 0.0
