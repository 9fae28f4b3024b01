"""cli: --live of a fit, and view: the address is said, Ctrl-C ends, nothing is lost."""

import json
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.sync.client import connect

import neuralshade

LONG = ["--steps", "100000000", "--hidden-width", "8", "--batch", "256"]


def address(process):
    """Return the address that a command prints first."""
    line = process.stderr.readline()
    found = re.fullmatch(r"live page: (http://\S+)  \(Ctrl-C ends it\)\n", line)
    assert found, line + process.stderr.read()
    return found[1]


def state(place):
    with urllib.request.urlopen(place.replace("/?", "/state?") if "?" in place else place + "state",
                                timeout=600) as answer:  # fmt: skip
        return json.load(answer)


def until(reached):
    """Return once ``reached()``; asked now and then, as the fit needs this core."""
    while not reached():
        time.sleep(0.1)


def settle(place):
    """Return when the command waits for what pages want, and for Ctrl-C: that answers this."""
    asked = place.replace("/?", "/snapshot.png?") if "?" in place else place + "snapshot.png"
    try:
        with urllib.request.urlopen(asked, timeout=600) as answer:
            code = answer.status
    except urllib.error.HTTPError as refusal:
        refusal.close()
        code = refusal.code
    assert code in (200, 409)  # 409: there is nothing to show yet


def ended(process, number=signal.SIGINT):
    process.send_signal(number)
    out, err = process.communicate(timeout=600)
    return process.returncode, out, err


# that of SIGTERM is what test_interrupt has of a fit without a page
TERM = pytest.param(signal.SIGTERM, marks=pytest.mark.slow)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, TERM])
def test_a_signal_in_a_fit_leaves_a_checkpoint(folder, start, number):
    process = start("fit", "image", "a.png", "--live", "--port", "0", *LONG, cwd=folder)
    place = address(process)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", place)
    until(lambda: state(place)["progress"] is not None)
    assert state(place)["fit"]["state"] == "running"
    code, out, err = ended(process, number)
    assert (code, out) == (130, "")
    assert "the fit is kept in a.checkpoint.nsh. Go on with: neuralshade fit" in err
    assert (folder / "a.checkpoint.nsh").exists()


@pytest.mark.slow  # live/test_live.py pauses; the signal comes the same way as above
def test_a_signal_in_a_pause_leaves_a_checkpoint(folder, start):
    process = start("fit", "image", "a.png", "--live", "--port", "0", *LONG, cwd=folder)
    place = address(process)
    with connect(place.replace("http", "ws") + "events", max_size=None) as page:
        page.send(json.dumps({"type": "control", "action": "pause"}))
        until(lambda: (state(place)["fit"] or {}).get("state") == "paused")
    code, _, err = ended(process)
    assert code == 130 and "the fit is kept in a.checkpoint.nsh. Go on with: neuralshade fit" in err


# Writes reports that take as long as those of large pictures do.
SLOW_REPORT = """
import sys, time
from neuralshade.__main__ import main
from neuralshade.fitting.job import Job
def write(self, asset, page, snapshots):
    print("reporting", flush=True)
    time.sleep(300)
Job.write_report = write
main()
"""


@pytest.mark.slow
def test_a_signal_while_a_page_has_a_report_written(folder):
    command = ["fit", "image", "a.png", "--live", "--port", "0", *LONG]
    with subprocess.Popen([sys.executable, "-c", SLOW_REPORT, *command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        place = address(process)
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(urllib.request.urlopen, place + "report", timeout=600)
            assert process.stdout.readline() == "reporting\n"
            code, _, err = ended(process, signal.SIGTERM)
            assert isinstance(asked.exception(), (urllib.error.HTTPError, OSError))
    assert code == 130 and "the fit is kept in a.checkpoint.nsh. Go on with: neuralshade fit" in err
    assert (folder / "a.checkpoint.nsh").exists()


# Searches codes, say, until it is asked to end.
LONG_SEARCH = """
import time
from neuralshade.__main__ import main
from neuralshade.base.interrupt import Interruption
from neuralshade.fitting.job import Job
settle = Job._settle
def search(self):
    with Interruption() as asked:
        print("searching", flush=True)
        while not asked.requested:
            time.sleep(0.01)
    settle(self)
Job._settle = search
main()
"""


def test_a_signal_while_a_fit_is_finished_ends_the_page_too(folder):
    command = ["fit", "image", "a.png", "--live", "--port", "0", *LONG, "--steps", "9"]
    with subprocess.Popen([sys.executable, "-c", LONG_SEARCH, *command], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # fmt: skip
        address(process)
        assert process.stdout.readline() == "searching\n"
        code, out, _ = ended(process)
    assert code == 0 and "a.nsh" in out
    assert (folder / "a.nsh").exists()


@pytest.mark.slow  # live/test_other_fits.py starts some by a page; the signal comes as above
def test_a_signal_in_a_fit_that_a_page_started(folder, start):
    process = start("view", "--port", "0", cwd=folder)
    place = address(process)
    asked = urllib.request.Request(place + "picture?name=b.png", (folder / "a.png").read_bytes())
    with urllib.request.urlopen(asked, timeout=600) as answer:
        key = json.load(answer)["picture"]
    with connect(place.replace("http", "ws") + "events", max_size=None) as page:
        page.send(json.dumps({"type": "control", "action": "start", "picture": key,
                              "preset": "tiny-9", "seconds": 600}))  # fmt: skip
        until(lambda: (state(place)["progress"] or {}).get("step"))
    code, _, err = ended(process)
    assert code == 130 and "b.checkpoint.nsh" in err
    assert (folder / "b.checkpoint.nsh").exists()


@pytest.mark.slow
def test_the_page_stays_after_the_fit(folder, start, few):
    process = start("fit", "image", "a.png", "--live", "--port", "0", *few, "--json", cwd=folder)
    place = address(process)
    result = json.loads(process.stdout.readline())
    assert result["steps"] == 30
    settle(place)
    told = state(place)
    assert told["fit"]["state"] == "ended" and told["scene"]["panes"][:2] == ["target", "result"]
    code, out, err = ended(process)
    assert (code, out) == (0, ""), err
    assert neuralshade.render(folder / "a.nsh").shape == (24, 36, 3)


@pytest.mark.slow
def test_view_of_an_asset(folder, start, fitted_asset):
    process = start("view", fitted_asset, "--port", "0", cwd=folder)
    place = address(process)
    settle(place)
    told = state(place)
    assert told["fit"] is None and told["scene"]["panes"] == ["result"]
    assert ended(process)[:2] == (0, "")


@pytest.mark.slow
def test_view_takes_a_picture_as_evaluate_does(folder, start, fitted_asset):
    process = start("view", fitted_asset, "a.png", "--port", "0", cwd=folder)
    place = address(process)
    settle(place)
    assert state(place)["scene"]["panes"][:2] == ["target", "result"]
    assert ended(process)[:2] == (0, "")


@pytest.mark.slow  # tokens are tested in live/server, and in the page
def test_view_beyond_this_machine_prints_a_token(folder, start):
    process = start("view", "--host", "0.0.0.0", "--port", "0", cwd=folder)
    place = address(process)
    assert re.fullmatch(r"http://[^/]+:\d+/\?token=[\w-]{32,}", place)
    local = re.sub("//[^:]+:", "//127.0.0.1:", place)
    settle(local)
    assert state(local)["scene"] is None
    with pytest.raises(urllib.error.HTTPError) as caught:
        state(local.partition("?")[0])
    assert caught.value.code == 401
    caught.value.close()
    assert ended(process)[:2] == (0, "")


@pytest.mark.parametrize("flag", [["--host", "127.0.0.1"], ["--port", "0"], ["--open"],
                                  ["--run-shaders"]])  # fmt: skip
def test_flags_of_a_page_need_one(run, folder, flag):
    done = run("fit", "image", "a.png", *flag)
    assert done.code == 2 and f"{flag[0]} needs --live." in "\n".join(done.err)


@pytest.mark.parametrize("arguments, message", [
    (["view", "none.nsh"], "none.nsh"),
    (["view", "--port", "70000"], "--port: got 70000, need 0 to 65535. Leave it out."),
    (["view", "--host", "192.0.2.1"], "--host: got '192.0.2.1' ("),
    (["fit", "image", "none.png", "--live", "--port", "0"], "none.png"),
])  # fmt: skip
def test_refusals(run, folder, arguments, message):
    done = run(*arguments)
    assert done.code == (2 if message.startswith("--") else 1) and done.out == []
    assert message in done.err[-1] and not list(folder.glob("*.nsh"))
