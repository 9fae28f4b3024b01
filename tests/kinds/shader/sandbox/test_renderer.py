"""kinds/shader/sandbox: whatever a stranger's process does is one line here."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from neuralshade.base.interrupt import Interruption
from neuralshade.base.message_text import shown
from neuralshade.base.sandbox import sandbox
from neuralshade.errors import AssetError, ConfigError, KernelError
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.renderer import LocalRenderer, RenderRequest
from neuralshade.kinds.shader.sandbox import renderer
from neuralshade.kinds.shader.sandbox.renderer import SandboxRenderer
from neuralshade.kinds.shader.source import ShaderSource
from neuralshade.source.picture import Picture

TASK = """import neuralshade.model.trainable;
import inks;
struct Task : ITask
{
    [Trainable(0.1)] float3 ink;
    float gain = 1;
    Picture<float> photo;
    [Differentiable] float loss(no_diff Thread thread) { return dot(ink, ink) * gain; }
    float3 render(float2 uv) { return ink * gain * twice(uv.x) + photo.load(int2(0, 0)); }
}
"""
INKS = "float twice(float x) { BODY return 2 * x; }"
# No square of 32 bits is 2, which no compiler knows; how often it is tried is used, so none leaves
# the loop out.
ENDLESS = "uint n = 0, i = 0; while (n != 3u) { n = n * n + 1u; ++i; } return float(i);"
WHOLE = (0.0, 0.0, 1.0, 1.0)
DISTRUST = " Do not trust where it comes from."


def request_of(body="", foreign=True):
    source = ShaderSource(TASK, "ink.slang", {"inks.slang": INKS.replace("BODY", body)}, foreign)
    values = {"ink": np.array([0.25, 0.5, 0.75], np.float32), "gain": "2",
              "photo": Picture(np.full((2, 3, 1), 51, np.uint8), "srgb", "a.png")}  # fmt: skip
    recipe = ShaderRecipe(steps=1, threads="4x4", size="4x4")
    return RenderRequest(source, values, recipe, 1, 3, "x.nsh")


@pytest.mark.slow
def test_it_draws_as_here_until_it_does_not_end(device, monkeypatch, refusal):
    here, sandboxed = LocalRenderer(request_of(foreign=False)), SandboxRenderer(request_of())
    try:
        crop = (0.25, 0.0, 0.75, 0.5)
        np.testing.assert_array_equal(sandboxed.draw(7, 5, crop), here.draw(7, 5, crop))
        assert sandboxed.row() == here.row()
    finally:
        here.close()
        sandboxed.close()
    sandboxed = SandboxRenderer(request_of(ENDLESS))
    monkeypatch.setattr(renderer, "START_SECONDS", 0.0)
    monkeypatch.setattr(renderer, "PIECE_SECONDS", 1.5)
    message = refusal(AssetError, sandboxed.draw, 4, 4, WHOLE)
    assert message == f"x.nsh: got no answer of its code in 2 s, need code that ends.{DISTRUST}"
    assert not sandboxed._sandbox.is_running


@pytest.mark.slow
def test_what_it_refuses_is_told_here(device):
    with pytest.raises(AssetError, match=r"^ink\.slang: got Ptr in line 1 of inks\.slang, need a "):
        SandboxRenderer(request_of("Ptr<float> p;"))
    with pytest.raises(KernelError, match="undefined identifier"):
        SandboxRenderer(request_of("return nothing;"))


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Return what makes a process that only does as told stand in for the one that draws."""

    def put(code):
        head = """
            import os, signal, sys, time
            from neuralshade.base.sandbox.wire import send, receive
            asked, answers = sys.stdin.buffer, sys.stdout.buffer
            def answer(message, arrays=()):
                receive(asked, 2**40)
                send(answers, message, arrays)
        """
        path = tmp_path / "process.py"
        path.write_text(textwrap.dedent(head) + textwrap.dedent(code))
        monkeypatch.setattr(sandbox, "_started", lambda *given: subprocess.Popen(
            [sys.executable, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE))  # fmt: skip

    return put


def drawn(width=4, height=2):
    sandboxed = SandboxRenderer(request_of())
    try:
        return sandboxed.draw(width, height, WHOLE)
    finally:
        sandboxed.close()


ENDED = "code that ended its process, or spoiled what that says, need a task that is drawn."


@pytest.mark.parametrize("code, got", [
    ("pass", ENDED),
    ("receive(asked, 2**40)", ENDED),
    ("answer({})", ENDED),
    ("os.kill(os.getpid(), signal.SIGSEGV)",
     "code that ended its process (SIGSEGV), need a task that is drawn."),
    ("answers.write(b'x' * 100); answers.flush(); time.sleep(99)", ENDED),
    ("answers.write((2**62).to_bytes(8, 'little')); answers.flush(); time.sleep(99)", ENDED),
    ("answer({'x': 'a' * 10**6}); time.sleep(99)", ENDED),
    ("answer({'error': 'SystemExit', 'text': 'a' * 99}); time.sleep(99)",
     f"an error that is no task's ({'a' * 80}), need a task that is drawn."),
    ("answer({}); answer({}); time.sleep(99)",
     "another picture than requested, need a task that is drawn."),
    ("import numpy; answer({}); answer({}, [numpy.zeros((2, 4, 4), 'f4')]); time.sleep(99)",
     "another picture than requested, need a task that is drawn."),
    ("import numpy; answer({}); answer({}, [numpy.zeros((2, 4, 3), 'u1')]); time.sleep(99)",
     "another picture than requested, need a task that is drawn."),
    ("import numpy; answer({}); answer({}, [numpy.zeros((99, 99, 3), 'f4')]); time.sleep(99)",
     ENDED),
])  # fmt: skip
def test_odd_answers_are_one_line(stand_in, refusal, code, got):
    stand_in(code)
    assert refusal(AssetError, drawn) == f"x.nsh: got {got}{DISTRUST}"


def test_an_error_brings_no_escape_sequences(stand_in):
    stand_in(r"answer({'error': 'ConfigError', 'text': '\x1b[2J\nset: \u202e\x07'})")
    with pytest.raises(ConfigError) as caught:
        drawn()
    assert str(caught.value) == "\\x1b[2J\nset: \\u202e\\x07"


@pytest.mark.parametrize("loss", ["nan", "inf", "-inf"])
def test_a_mean_loss_that_is_no_number(stand_in, refusal, loss):
    row = f"{{'loss': float('{loss}'), 'standard_error': 0.0, 'steps': 1, 'threads': 1}}"
    stand_in(f"answer({{}}); answer({{'row': {row}}}); time.sleep(99)")
    message = refusal(AssetError, SandboxRenderer(request_of()).row)
    assert message == f"x.nsh: got {ENDED}{DISTRUST}"


def test_an_error_may_name_a_file_whose_name_is_no_text(stand_in):
    stand_in(r"answer({'error': 'ConfigError', 'text': 'x\udce4.nsh: got a task.'})")
    with pytest.raises(ConfigError) as caught:
        drawn()
    assert str(caught.value) == "x\udce4.nsh: got a task."


def test_silence_memory_and_ctrl_c_end_it(stand_in, refusal, monkeypatch):
    stand_in("time.sleep(99)")
    with monkeypatch.context() as patch:
        patch.setattr(renderer, "START_SECONDS", 0.1)
        message = refusal(AssetError, drawn)
        assert message == f"x.nsh: got no answer of its code in 0 s, need code that ends.{DISTRUST}"
    with Interruption() as interruption:
        interruption.requested = True
        message = refusal(AssetError, drawn)
    assert message == (
        f"x.nsh: got Ctrl-C before its code had an answer, need code that ends.{DISTRUST}"
    )
    monkeypatch.setattr(renderer, "MOST_BYTES", 2**28)
    stand_in("taken = b'a' * 2**29; time.sleep(99)")
    message = refusal(AssetError, drawn)
    assert message == (
        f"x.nsh: got code that took more than 0.2 GB, need a task that takes less.{DISTRUST}"
    )


@pytest.mark.parametrize("row", [
    "None", "{}", "{'loss': 1, 'standard_error': 0.0, 'steps': 1, 'threads': 1}",
    "{'loss': 1.0, 'standard_error': 0.0, 'steps': True, 'threads': 1}", "[]",
])  # fmt: skip
def test_a_mean_loss_is_four_numbers(stand_in, refusal, row):
    stand_in(f"answer({{}}); answer({{'row': {row}}}); time.sleep(99)")
    message = refusal(AssetError, SandboxRenderer(request_of()).row)
    assert message == f"x.nsh: got no mean loss, need a task that is drawn.{DISTRUST}"


@pytest.mark.parametrize("value", [{"a": 1}, float("nan"), (1.0, float("inf")), 10**70,
                                   np.float32("inf")])  # fmt: skip
def test_values_that_are_no_numbers(refusal, value):
    odd = request_of()
    values = {**odd.values, "gain": value}
    message = refusal(
        ConfigError, SandboxRenderer, RenderRequest(odd.source, values, odd.recipe, 1, 3, "x")
    )
    told = shown(float(value) if isinstance(value, np.float32) else value)
    assert message == f"set: got gain={told}, need a finite number. Write for example gain=0.5."
