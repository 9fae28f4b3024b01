"""measure/page: every page says which version wrote it, when, and by which command."""

import re
import sys

from neuralshade import __version__
from neuralshade.measure.page import written


def test_a_page_names_version_time_and_command(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/neuralshade", "report", "my photo.nsh"])
    assert re.fullmatch(
        rf"Written by neuralshade {re.escape(__version__)}, "
        r"\d{4}-\d\d-\d\d \d\d:\d\d UTC: neuralshade report 'my photo.nsh'",
        written(),
    )


def test_a_module_that_runs_is_the_command(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/somewhere/neuralshade/__main__.py", "report", "a.nsh"])
    assert written().endswith(": neuralshade report a.nsh")
