"""cli: the process ends at once after its last line, and only where nobody waits for its end."""

import subprocess
import sys

import pytest

# A command that says whether it ends at once, in place of taking apart what it loaded.
COMMAND = """
import atexit, os, sys, threading, time
from neuralshade import __main__
from neuralshade.cli import main

leave = os._exit
os._exit = lambda code: (print("at once", flush=True), leave(code))
atexit.register(print, "at exit")

def line():
    print("said")
    {work}

main.main = line
{before}
__main__.main()
"""
PYTHONS = ["said", "at exit"]
AT_ONCE = [*PYTHONS, "at once"]


def ended(before="", work="pass", flags=()):
    code = COMMAND.format(before=before, work=work)
    done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True,
                          input="", check=False)  # fmt: skip
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("work, code", [
    ("pass", 0), ("sys.exit(0)", 0), ("sys.exit(1)", 1), ("sys.exit(2)", 2),
])  # fmt: skip
def test_exit_handlers_run_and_it_ends_at_once(work, code):
    assert ended(work=work) == (code, AT_ONCE)


def test_a_daemon_thread_is_left():
    assert ended("threading.Thread(target=time.sleep, args=(600,), daemon=True).start()") == (
        0, AT_ONCE
    )  # fmt: skip


def test_a_thread_that_goes_on_is_waited_for():
    work = "threading.Timer(0.2, print, ['went on']).start()"
    assert ended(work=work) == (0, ["said", "went on", "at exit"])


@pytest.mark.parametrize("before", [
    "sys.setprofile(lambda *what: None)", "sys.settrace(lambda *what: None)",
    "hasattr(sys, 'monitoring') and sys.monitoring.use_tool_id(2, 'a profiler')"
    " or sys.setprofile(lambda *what: None)",
])  # fmt: skip
def test_a_profiler_sees_the_end(before):
    assert ended(before) == (0, PYTHONS)


def test_a_prompt_comes_after_it():
    assert ended(flags=["-i"])[1] == PYTHONS
