"""base/sandbox: what a process of a stranger's is given, reads and may say."""

import os

import pytest

from neuralshade.base.sandbox.sandbox import Sandbox, SandboxWording, safe_environment
from neuralshade.errors import ConfigError

MEMORY = 2**30
SAID = SandboxWording("x.mtlx", error=ConfigError)


class Served:
    """Answers as a message says; it is loaded in the process itself."""

    def __call__(self, message, arrays):
        match message["ask"]:
            case "environment":
                return {"names": sorted(os.environ)}, ()
            case "read":
                with open(message["path"]) as file:
                    return {"text": file.read(99)}, ()
            case "raise":
                raise ConfigError("x: got y, need z.")
            case "end":
                os.abort()
        return {}, arrays


@pytest.fixture
def sandbox(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    (tmp_path / "open").mkdir()
    with Sandbox("test_sandbox:Served", SAID, MEMORY, [str(tmp_path / "open")]) as made:
        yield made


def ask(sandbox, **asked):
    return sandbox.request(asked, seconds=60, memory=MEMORY)[0]


def test_it_is_given_no_secrets_and_reads_what_it_may(sandbox, tmp_path):
    names = ask(sandbox, ask="environment")["names"]
    assert "LC_ALL" in names and "TMPDIR" in names
    assert not {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"} & set(names)
    (tmp_path / "open/a").write_text("a text")
    assert ask(sandbox, ask="read", path=str(tmp_path / "open/a"))["text"] == "a text"


def test_what_it_raises_and_its_end_are_one_line(sandbox, refusal, same_message):
    assert refusal(ConfigError, ask, sandbox, ask="raise") == "x: got y, need z."
    message = refusal(ConfigError, ask, sandbox, ask="end")
    same_message(message, "x.mtlx", "trust")
    assert not sandbox.is_running


@pytest.mark.parametrize("name, stays", [
    ("HOME", True), ("VK_DRIVER_FILES", True), ("CUDA_VISIBLE_DEVICES", True), ("SystemRoot", True),
    ("LP_NUM_THREADS", True), ("SSH_AUTH_SOCK", False), ("HF_TOKEN", False), ("PYTHONPATH", False),
    ("LD_PRELOAD", False), ("HTTP_PROXY", False), ("PYTHONSTARTUP", False), ("DISPLAY", False),
])  # fmt: skip
def test_which_variables_are_passed_on(name, stays):
    assert (name in safe_environment({name: "x"})) == stays
