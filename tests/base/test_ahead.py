"""base/ahead: work begun in a thread, for its result later."""

import threading

import pytest

from neuralshade.base.ahead import begin, begun_result, forget_begun, kept_ahead, run_beside


def test_what_is_begun_runs_beside_and_is_kept():
    go_on = threading.Event()
    with kept_ahead():
        begin("a", lambda: go_on.wait(600) and threading.current_thread())
        begin(("b", 2), lambda: 3)
        assert begun_result(("b", 2)) == 3
        go_on.set()
        assert begun_result("a").daemon and begun_result("a") is not threading.current_thread()
        assert begun_result("c") is None


def test_nothing_is_begun_for_nobody():
    begin("a", lambda: pytest.fail("nobody asked"))
    assert begun_result("a") is None
    with kept_ahead():
        begin("a", lambda: 1)
    assert begun_result("a") is None


def test_its_error_is_raised_where_it_is_asked_for():
    def fail():
        raise ValueError("of the work")

    with kept_ahead():
        begin("a", fail)
        with pytest.raises(ValueError, match="of the work"):
            begun_result("a")


def test_work_that_nothing_waits_for_runs_beside_a_command_alone():
    threads, done = [], threading.Event()

    def work():
        threads.append(threading.current_thread())
        done.set()

    run_beside(work)
    assert threads == [threading.current_thread()]
    done.clear()
    with kept_ahead():
        run_beside(work)
        assert done.wait(600) and threads[1] is not threads[0]


def test_what_was_begun_is_forgotten():
    forget_begun()
    with kept_ahead():
        begin("a", lambda: 1)
        forget_begun()
        assert begun_result("a") is None
