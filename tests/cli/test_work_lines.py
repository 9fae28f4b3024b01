"""cli/work_lines: long work is told in a few lines where there is no terminal, on every verb."""

import threading
from contextlib import ExitStack

import pytest

import neuralshade
from neuralshade.base import progress_scope
from neuralshade.cli import work_lines
from neuralshade.cli.terminal import watch
from neuralshade.cli.work_lines import WorkLines, shown_work, starting
from neuralshade.errors import ConfigError
from neuralshade.fitting.progress import Progress, WarmUp
from neuralshade.verbs.doctor import findings


class Clock:
    """Seconds that pass where a test says so, and the lines that are due meanwhile."""

    def __init__(self):
        self.seconds, self.lines, self.told = 1000.0, WorkLines(), []

    def goes_on(self, seconds):
        """Look as often as the command line does."""
        for _ in range(round(seconds / work_lines.POLL_SECONDS)):
            self.seconds += work_lines.POLL_SECONDS
            if line := self.lines.due():
                self.told.append(line)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress_scope, "now", lambda: clock.seconds)
    monkeypatch.setattr(progress_scope, "SILENT_SECONDS", 2.0)
    return clock


@pytest.fixture
def at_once(monkeypatch):
    """Tell of work that takes no time."""
    monkeypatch.setattr(progress_scope, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(work_lines, "POLL_SECONDS", 0.01)


def wait_for(words, capsys):
    """Wait until ``words`` are printed to standard error; return what is there then."""
    told = ""
    for _ in range(6000):
        told += capsys.readouterr().err
        if words in told:
            return told
        threading.Event().wait(0.01)
    raise AssertionError(told)


def test_what_takes_less_than_two_seconds_is_not_told(clock):
    clock.goes_on(60)
    for _ in range(20):
        with progress_scope.working("drawing"):
            clock.goes_on(1.6)
            with progress_scope.part("drawing pixels"):
                clock.goes_on(0.2)
    assert clock.told == []


def test_one_line_after_two_seconds_and_then_every_ten(clock):
    with progress_scope.working("drawing"), progress_scope.part("drawing pixels", 100) as pixels:
        clock.goes_on(1.8)
        assert clock.told == []
        clock.goes_on(0.4)
        assert clock.told == ["drawing pixels: 0 of 100, 2 s"]
        pixels.done = 40
        clock.goes_on(20.2)
    assert clock.told[1:] == [f"drawing pixels: 40 of 100, {s} s" for s in (12, 22)]


def test_a_line_of_each_stage_that_lasts(clock):
    with (
        progress_scope.working("a fit"),
        progress_scope.part("writing the report"),
        progress_scope.part("the report", 3),
    ):
        for what, seconds in (("drawing", 2.6), ("comparing", 0.4), ("charts", 2.6)):
            with progress_scope.counted_part(what):
                for _ in "ab":
                    with progress_scope.part("too deep to be told of by itself"):
                        clock.goes_on(seconds / 2)
    assert [line.partition(":")[0] for line in clock.told] == [
        "the report, 1 of 3", "the report, 3 of 3",
    ]  # fmt: skip


def test_parts_that_are_soon_done_with_are_told_every_ten_seconds(clock):
    with progress_scope.working("comparing"):
        for number in range(48):
            with progress_scope.part(f"codec {number}"):
                clock.goes_on(0.5)
                clock.goes_on(0.5)
    assert len(clock.told) == 4 and clock.told[0] == "codec 2, 2 s"


def test_a_stage_that_was_just_told_of_is_not_told_of_again(clock):
    with progress_scope.working("comparing"):
        clock.goes_on(1.6)
        with progress_scope.part("searching"):
            clock.goes_on(9.6)
    assert clock.told == ["searching, 2 s"]


def test_the_whole_is_told_when_its_parts_are_over(clock):
    with progress_scope.working("writing the asset"):
        with progress_scope.part("measuring"):
            clock.goes_on(2.4)
        clock.goes_on(2.6)
    assert clock.told == ["measuring, 2 s", "writing the asset, 5 s"]


def test_work_that_follows_has_two_seconds_of_its_own(clock):
    for what in ("starting the fit", "measuring", "writing the asset"):
        with progress_scope.working(what):
            clock.goes_on(2.4)
    assert clock.told == ["starting the fit, 2 s", "measuring, 2 s", "writing the asset, 2 s"]


def test_the_start_of_a_fit_is_told_until_it_looks_up(clock):
    seen = []
    with starting(seen.append) as observer:
        with WarmUp(Progress()).scope():
            clock.goes_on(2.4)
        assert clock.told == ["running the first step, 2 s"]
        observer(Progress(step=1))
        clock.goes_on(60)
        observer(Progress(step=2))
    assert len(clock.told) == 1 and [p.step for p in seen] == [1, 2]


def test_a_start_that_failed_is_over():
    with pytest.raises(ZeroDivisionError), starting(print):
        _ = 1 / 0
    assert progress_scope.current_scope() is None


def test_only_the_first_step_is_told():
    warm_up = WarmUp(Progress())
    with progress_scope.working("starting the fit"):
        with warm_up.scope():
            assert progress_scope.current_scope().what == "running the first step"
        warm_up.uncounted(1.0, 1)
        with warm_up.scope():
            assert progress_scope.current_scope().what == "starting the fit"


def test_a_line_for_each_stage_of_a_fit(at_once, capsys):
    with watch(quiet=False), progress_scope.working("writing the asset"):
        for what in ("searching codes", "measuring"):
            with progress_scope.part(what):
                wait_for(f"{what}, 0 s\n", capsys)


VERBS = {
    "render": (["a.nsh", "-o", "a.png"], "drawing"),
    "decode": (["a.nsh", "-o", "maps"], "decoding maps"),
    "evaluate": (["a.nsh", "a.png", "--json"], "comparing"),
    "report": (["a.nsh", "a.png"], "writing the report"),
    "render_scene": (["a.toml", "-o", "a.png"], "rendering"),
    "check_gradients": (["a.slang", "--json"], "comparing derivatives"),
    "devices": (["--json"], "opening devices"),
    "load": (["a.nsh", "--json"], "reading the asset"),
    "bench": (["--json"], "opening the device"),
    "fit_image": (["a.png", "--json"], "starting the fit"),
}
CALLED = {"render_scene": "scene", "check_gradients": "check-gradients", "load": "info"}


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_tells_on_standard_error(name, at_once, run, capsys, folder, monkeypatch):
    arguments, what = VERBS[name]
    told = []
    (folder / "a.nsh").touch()  # one that is not there is refused before

    def long(*given, **named):
        told.append(wait_for(f"{what}, 0 s\n", capsys))
        raise ConfigError("so far")

    monkeypatch.setattr(neuralshade, name, long)
    monkeypatch.setattr("neuralshade.kinds.image.fit.fit_image", long)
    verb = ["fit", "image"] if name == "fit_image" else [CALLED.get(name, name)]
    done = run(*verb, *arguments)
    assert told and (done.code, done.out) == (1, [])
    assert done.err[-1] == "neuralshade: so far"


def test_the_doctor_tells(at_once, run, capsys, monkeypatch):
    def long(**given):
        wait_for("asking drivers, 0 s\n", capsys)
        return {"headings": {}}

    monkeypatch.setattr(findings, "examine", long)
    assert run("doctor", "--json").out == ['{"headings": {}}']


def test_a_page_that_takes_long_to_open_tells(at_once, run, capsys, monkeypatch):
    def long(*given, **named):
        wait_for("opening the page, 0 s\n", capsys)
        raise ConfigError("so far")

    monkeypatch.setattr("neuralshade.live.live.view", long)
    assert run("view", "a.nsh").code == 1


def test_a_quiet_fit_tells_nothing(at_once, run, folder, monkeypatch):
    def long(*given, **named):
        threading.Event().wait(0.1)
        raise ConfigError("so far")

    monkeypatch.setattr("neuralshade.kinds.image.fit.fit_image", long)
    assert run("fit", "image", "a.png", "--quiet").err == ["neuralshade: so far"]


def test_stages_of_a_benchmark_are_told(at_once, capsys):
    from neuralshade.cli.bench_table import stages

    with stages() as observer:
        for what in ("training a", "training b"):
            observer(what)
            wait_for(f"{what}, 0 s\n", capsys)
    assert progress_scope.current_scope() is None


def test_lines_end_with_the_work(at_once, capsys):
    with ExitStack() as shown:
        shown.enter_context(shown_work("drawing"))
        wait_for("drawing, 0 s\n", capsys)
    capsys.readouterr()
    threading.Event().wait(0.1)
    assert capsys.readouterr().err == ""
