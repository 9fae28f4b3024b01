"""base/progress_scope, cli/work_lines, cli/work_bar: progress of work after a training."""

import io
import re
import threading

import pytest
from rich.console import Console

from neuralshade.base import progress_scope
from neuralshade.cli import work_bar, work_lines
from neuralshade.cli.terminal import watch
from neuralshade.cli.work_lines import shown_work


@pytest.fixture
def at_once(monkeypatch):
    """Tell of work that takes no time."""
    monkeypatch.setattr(progress_scope, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(work_lines, "PLAIN_SECONDS", 0.01)
    monkeypatch.setattr(work_lines, "POLL_SECONDS", 0.01)


def wait_for(words, capsys, seconds=60):
    """Return what standard error has once ``words`` are in it."""
    told = ""
    for _ in range(100 * seconds):
        told += capsys.readouterr().err
        if words in told:
            return told
        threading.Event().wait(0.01)
    raise AssertionError(told)


def test_parts_are_told_with_their_counts_and_the_whole_when_they_are_over():
    assert progress_scope.progress_line() == ""
    with progress_scope.working("writing the asset"):
        assert progress_scope.progress_line() == "writing the asset, 0 s"
        with progress_scope.part("judging levels", 18) as judging:
            judging.done = 3
            assert progress_scope.progress_line() == "judging levels: 3 of 18, 0 s"
        assert list(progress_scope.counted("drawing", "ab", 2)) == ["a", "b"]
        assert progress_scope.progress_line() == "writing the asset, 0 s"
        assert progress_scope.progress_line(least_seconds=2.0) == ""
    assert progress_scope.current_scope() is None


def test_stages_are_counted_and_told_around_what_is_done():
    with (
        progress_scope.working("writing the asset"),
        progress_scope.part("writing the report", 4) as report,
    ):
        assert progress_scope.done_fraction() == 0
        with progress_scope.counted_part("drawing the result"):
            assert (
                progress_scope.progress_line()
                == "writing the report, 1 of 4: drawing the result, 0 s"
            )
        with (
            progress_scope.counted_part("comparing"),
            progress_scope.part("drawing spheres", 2) as drawing,
        ):
            drawing.done = 1
            assert (
                progress_scope.progress_line()
                == "writing the report, 2 of 4: drawing spheres: 1 of 2, 0 s"
            )
            assert progress_scope.done_fraction() == (1 + 0.5) / 4
        assert (
            report.done == 2 and progress_scope.progress_line() == "writing the report: 2 of 4, 0 s"
        )
    assert progress_scope.done_fraction() is None


def test_a_stage_that_failed_is_not_counted():
    with progress_scope.working("a fit"), progress_scope.part("writing the report", 2) as report:
        with pytest.raises(ZeroDivisionError), progress_scope.counted_part("comparing"):
            _ = 1 / 0
        assert report.done == 0
        with progress_scope.counted_part("comparing"), progress_scope.counted_part("part of it"):
            assert progress_scope.progress_line() == "writing the report, 1 of 2: part of it, 0 s"
        assert report.done == 1


def test_a_part_of_no_whole_is_not_told():
    """A live page draws while a fit runs."""
    with progress_scope.part("drawing a lit plane", 300) as drawing:
        drawing.done += 1
        assert progress_scope.progress_line() == ""


def test_work_that_failed_is_over():
    with (
        pytest.raises(ZeroDivisionError),
        progress_scope.working("comparing"),
        progress_scope.part("searching"),
    ):
        _ = 1 / 0
    assert progress_scope.current_scope() is None


def test_a_fit_tells_what_it_does_when_it_is_trained(at_once, capsys):
    with watch(quiet=False), progress_scope.working("writing the asset"):
        assert "writing the asset, 0 s" in wait_for("writing", capsys)


def test_a_quiet_fit_tells_nothing(at_once, capsys):
    with watch(quiet=True), progress_scope.working("writing the asset"):
        threading.Event().wait(0.1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("total, shown", [(None, ""), (8, ": 2 of 8")])
def test_a_bar_on_a_terminal(total, shown, at_once, monkeypatch):
    screen = io.StringIO()
    console = Console(file=screen, width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(work_bar, "Console", lambda stderr: console)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with shown_work("comparing"), progress_scope.part("judging levels", total) as judging:
        judging.done = 2
        for _ in range(6000):
            if "judging" in screen.getvalue():
                break
            threading.Event().wait(0.01)
    assert re.search(rf"\u2501 *judging levels{shown}, \d+ s", screen.getvalue())


def test_phases_are_heard_of_as_they_begin_but_not_what_they_are_made_of():
    heard = []
    with progress_scope.phase_listener(heard.append), progress_scope.working("writing the asset"):
        with progress_scope.working("searching codes"), progress_scope.part("searching codes", 3):
            assert progress_scope.open_scopes(2)[-1].what == "searching codes"
        with progress_scope.part("writing the report", 2), progress_scope.counted_part("comparing"):
            assert progress_scope.open_scopes(2)[-1].what == "writing the report"
        other = threading.Thread(
            target=lambda: heard.append(progress_scope.open_scopes(2)[-1].what)
        )
        other.start()
        other.join()
    with progress_scope.working("rendering"):  # nobody listens any more
        pass
    assert heard == ["writing the asset", "searching codes", "writing the report",
                     "writing the asset"]  # fmt: skip


def test_phases_are_heard_of_inside_of_other_work_too():
    heard = []
    with (
        progress_scope.working("starting the fit"),
        progress_scope.phase_listener(heard.append),
        progress_scope.working("a fit"),
        progress_scope.part("measuring"),
        progress_scope.part("more"),
    ):
        pass
    assert heard == ["a fit", "measuring"]
