"""live/progressive_drawing, live/frame_budget: changes come whole, as large as time allows."""

from dataclasses import replace

import numpy as np
import pytest

from neuralshade.live.page_renderer import SHARE

SIDE = 200


def test_a_newer_result_comes_whole_so_that_its_error_is_as_new(frames, looking, train):
    """No error is made of a picture whose bands are still coming: it would be of the one before."""
    train(100.0, [looking()])
    results = [header for header, panes in frames if "result" in panes]
    sharp = [header for header in results if header["width"] == SIDE]
    rows = [header["rows"][1] for header in sharp if "rows" in header]
    assert sum(rows) == SIDE  # the first one, which took as long as ten bands: better than a mosaic
    whole = [header for header in sharp if "rows" not in header]
    assert len(whole) > 2 and all(header["sharp"] for header in whole)
    assert all(panes["result"].shape[0] == SIDE for header, panes in frames if header in whole)


def test_who_comes_later_is_sent_the_same_whole_pictures(frames, looking, train, renderer):
    """What was drawn of one before is its, too: one file for both."""
    pages = [looking()]
    train(45.0, pages)
    pages.append(looking())
    train(45.0, pages, begun=450)
    sent, send = [], renderer._send
    renderer._send = lambda *given: (sent.append(given), send(*given))
    train(30.0, pages, begun=900)
    groups = [group for header, panes, *_, group, budget in sent if "result" in panes]
    assert groups and all(len(group) == 2 for group in groups)


@pytest.mark.parametrize("start", [0.0, 0.02])
def test_what_costs_as_much_when_it_is_small_is_drawn_large(
    frames, looking, train, renderer, clock, start
):
    """Gaussians are projected and listed for every look: a mosaic of them is no cheaper."""
    scene = renderer.scene

    def draw(pane, view):
        if pane == "target":
            return scene.draw(pane, view)
        clock.now += start + 0.04 * view.width * view.height / SIDE**2
        return np.zeros((view.height, view.width, 3), np.float32)

    renderer.scene = replace(scene, draw=draw)
    begun, client = clock.now, looking()
    train(4.0, [client])
    results = [header for header, panes in frames if "result" in panes]
    assert results[-1]["width"] == SIDE and "rows" not in results[-1]
    train(20.0, [client], begun=40)
    count = sum(panes["result"].size for _, panes in frames if "result" in panes) / (3 * SIDE**2)
    spent = count * (start + 0.04)
    assert 0.5 * SHARE * 24 < spent < 1.3 * SHARE * (clock.now - begun)
