"""base/log_relay: who hears a log beside what shows it takes no warning from people."""

import logging

import pytest

from neuralshade.base.log_relay import LogRelay, LogTap


@pytest.fixture
def log():
    """Give a log of which Python's root is not told."""
    log = logging.Logger("neuralshade-tests")
    log.propagate = False
    logging.Logger.manager.loggerDict[log.name] = log
    yield log
    del logging.Logger.manager.loggerDict[log.name]


def test_warnings_are_printed_once_where_nothing_else_shows_them(log, capsys):
    heard = []
    log.handlers.clear()  # pytest's own
    log.addHandler(LogTap(heard.append))
    log.addHandler(LogTap(heard.append))
    log.warning("few steps")
    log.info("on the CPU")
    assert capsys.readouterr().err == "few steps\n"
    assert heard == ["few steps", "few steps", "on the CPU", "on the CPU"]


def test_what_shows_them_does_so_alone(log, capsys):
    heard, shown = [], []
    log.addHandler(LogTap(heard.append))
    log.addHandler(LogRelay(shown.append))
    log.warning("few steps")
    assert (capsys.readouterr().err, heard, shown) == ("", ["few steps"], ["few steps"])
