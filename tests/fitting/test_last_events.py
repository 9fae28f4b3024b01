"""fitting/events: what a fit came to after its last line of progress is told too."""

import json

from neuralshade.fitting.events import Events
from neuralshade.fitting.loop import Progress


def lines(path):
    """Return the messages of a file."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_a_measuring_after_the_last_progress_is_told(tmp_path):
    """A fit that ends soon knows its PSNR when its last step was told."""
    events, p = Events(tmp_path / "e.jsonl"), Progress(step=30, seconds=1.0, loss=0.5)
    events.begin(None)
    events.observe(p)
    p.psnr_db = 20.0
    p.curve.append([30, 1.0, 0.5, 20.0])
    for _ in range(2):
        events.update({"state": "ended"})
    events.close()
    told = lines(tmp_path / "e.jsonl")
    types = ["progress", "curve", "progress", "curve", "fit", "fit"]
    assert [message["type"] for message in told] == types
    assert [told[number]["psnr_db"] for number in (0, 2)] == [None, 20.0]
    assert told[3] == {"type": "curve", "reset": False, "points": [[30, 1.0, 0.5, 20.0]]}


def test_the_last_step_is_one_point_as_the_file_has_it(tmp_path):
    """Its PSNR is that of some pixels first, and is measured again of the file."""
    events, p = Events(tmp_path / "e.jsonl"), Progress(step=30, seconds=1.0, loss=0.5)
    events.begin(None)
    for p.psnr_db in (20.0, 19.5):
        p.note(measured=True)
        events.observe(p)
    events.update({"state": "ended"})
    events.close()
    curves = [m for m in lines(tmp_path / "e.jsonl") if m["type"] == "curve"]
    assert [point for m in curves for point in m["points"]] == [[30, 1.0, 0.5, 19.5]]
    assert [m["reset"] for m in curves] == [True, False]


def test_the_last_progress_is_told_though_it_is_not_due(tmp_path):
    events = Events(tmp_path / "e.jsonl")
    events.begin(None)
    p = Progress(step=1, seconds=5.0, loss=0.5, share=0.5)
    events.observe(p)
    p.step, p.seconds, p.share = 2, 5.01, 1.0
    events.observe(p)
    assert [m["step"] for m in lines(tmp_path / "e.jsonl") if m["type"] == "progress"] == [1]
    events.update({"state": "ended"})
    events.close()
    told = lines(tmp_path / "e.jsonl")
    assert [m["step"] for m in told if m["type"] == "progress"] == [1, 2]
    assert told[-1] == {"type": "fit", "fit": {"state": "ended"}}
    events.result({})  # closed: to nowhere
    assert lines(tmp_path / "e.jsonl") == told
