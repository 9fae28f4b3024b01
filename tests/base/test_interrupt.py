"""base/interrupt: signals wait for the end of what no exception may pass through."""

import signal
import subprocess
import sys
import threading

import pytest

from neuralshade.base.interrupt import signals_deferred

LOADED = """
import sys
from neuralshade.cli.signals import Terminated, heed
from neuralshade.gpu.device import _load_slangpy
heed()
try:
    _load_slangpy()
except (Terminated, KeyboardInterrupt) as error:
    print(type(error).__name__, sys.modules["slangpy"].whole)
"""


def test_a_signal_waits_for_the_end():
    seen = []

    def asked_to_end():
        with signals_deferred():
            signal.raise_signal(signal.SIGINT)
            seen.append("went on")

    with pytest.raises(KeyboardInterrupt):
        asked_to_end()
    assert seen == ["went on"]


def test_handlers_are_what_they_were():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with signals_deferred():
        assert signal.getsignal(signal.SIGINT) is not before[0]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_error_comes_through():
    with pytest.raises(ValueError, match="own"), signals_deferred():
        raise ValueError("own")


def test_in_another_thread_it_does_nothing():
    handlers = []

    def look():
        with signals_deferred():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]


@pytest.mark.parametrize(
    "name, error", [("SIGTERM", "Terminated"), ("SIGINT", "KeyboardInterrupt")]
)
def test_slangpy_is_loaded_whole_before_a_signal_ends_the_command(tmp_path, name, error):
    """Its C++ calls Python as it loads: an exception there is std::terminate, and a core."""
    text = f"import signal\nsignal.raise_signal(signal.{name})\nwhole = True\n"
    (tmp_path / "slangpy.py").write_text(text)
    code = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{LOADED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{error} True\n"
