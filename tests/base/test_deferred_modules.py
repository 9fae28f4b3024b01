"""base/deferred_modules: parts of PyTorch wait until something uses them, and work then."""

import subprocess
import sys
import threading

import pytest

from neuralshade.base.deferred_modules import defer

PYTORCH = """
import sys
from neuralshade.base.deferred_modules import defer_parts_of_pytorch
defer_parts_of_pytorch()
import torch

class Double(torch.nn.Module):
    def forward(self, x):
        return 2 * x.abs()

def is_deferred():
    return "torch._decomp" not in sys.modules

assert is_deferred(), "all of PyTorch was loaded"
{code}
"""
PLAIN = """
rng = torch.Generator().manual_seed(3)
drawn = torch.rand(4, generator=rng, requires_grad=True)
Double()(drawn).sum().backward()
print(drawn.grad.tolist(), isinstance(rng, torch.Generator), is_deferred())
"""
COMPILED = """
print(torch.compile(Double(), backend="aot_eager")(torch.tensor([-1.0])).tolist(), is_deferred())
"""
EXPORTED = """
program = torch.export.export(Double(), (torch.ones(2),))
print(program.module()(torch.tensor([-1.0, 2.0])).tolist(), is_deferred())
"""
SUBMODULE = """
import torch.export.graph_signature
print(torch.export.graph_signature.InputKind.USER_INPUT.name)
"""
PLUGIN = """
from neuralshade.base.plugins import Plugin
add = Plugin("loss", "sum", "package", "1", "operator:add").load()
print(add(torch.empty(3, device="meta").abs(), 1).shape, is_deferred())
"""
SLOW = {"marks": pytest.mark.slow}  # loads the compiler


@pytest.mark.parametrize("code, said", [
    pytest.param(PLAIN, "[2.0, 2.0, 2.0, 2.0] True True", id="plain"),
    pytest.param(COMPILED, "[2.0] False", id="compiled", **SLOW),
    pytest.param(EXPORTED, "[2.0, 4.0] False", id="exported", **SLOW),
    pytest.param(SUBMODULE, "USER_INPUT", id="submodule"),
    pytest.param(PLUGIN, "torch.Size([3]) False", id="plugin"),
])  # fmt: skip
def test_pytorch_works_as_without_it(code, said):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PYTORCH.format(code=code)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr


def test_pytorch_says_nothing_of_it():
    """Version 2.14 logs that a module of 2.13 is deprecated."""
    code = PYTORCH.format(code="torch.Generator()")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout + done.stderr == ""


OTHER = """
import sys
from neuralshade.base import deferred_modules
deferred_modules.GENERATORS = (("torch._of_later", "Meta"),)
deferred_modules.defer_parts_of_pytorch()
import torch
print(torch.Generator().initial_seed() > 0, torch.empty(2, device="meta").abs().shape)
"""


def test_a_pytorch_with_other_generators_is_loaded_whole():
    done = subprocess.run([sys.executable, "-c", OTHER], capture_output=True, text=True, check=True)
    assert done.stdout == "True torch.Size([2])\n"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that writes a package with a deferred module ``part``; it tells loads."""

    def made(name, text):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("loads = []\nfrom . import part\n")
        (tmp_path / name / "part.py").write_text(f"import {name}\n{name}.loads.append(1)\n{text}")
        monkeypatch.syspath_prepend(tmp_path)
        defer([f"{name}.part"])
        return __import__(name)

    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    before = set(sys.modules)
    yield made
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_a_module_is_loaded_when_a_name_of_it_is_used(package):
    found = package("deferred_once", "answer = 42\n")
    stand_in = found.part
    assert found.loads == []
    assert stand_in.answer == 42 and found.loads == [1]
    assert found.part is not stand_in and found.part.answer == stand_in.answer
    assert found.loads == [1]


def test_python_looks_at_it_without_loading_it(package):
    found = package("deferred_seen", "answer = 42\n")
    assert not hasattr(found.part, "__file__") and "part" in repr(found.part)
    import deferred_seen.part  # noqa: F401 (again: it is there)

    assert found.loads == []


def test_threads_load_it_once(package):
    found = package("deferred_together", "import time\ntime.sleep(0.2)\nanswer = 42\n")
    part, answers = found.part, []
    all_ = [threading.Thread(target=lambda: answers.append(part.answer)) for _ in range(8)]
    for one in all_:
        one.start()
    for one in all_:
        one.join()
    assert answers == [42] * 8 and found.loads == [1]


def test_its_own_error_is_raised_each_time(package):
    found = package("deferred_fault", "raise ValueError('own')\n")
    for _ in range(2):
        with pytest.raises(ValueError, match="own"):
            found.part.answer  # noqa: B018


def test_an_unknown_name_is_an_error(package):
    found = package("deferred_unknown", "answer = 42\n")
    with pytest.raises(AttributeError, match="question"):
        found.part.question  # noqa: B018


def test_what_is_loaded_stays(package):
    found = package("deferred_late", "answer = 42\n")
    whole = found.part.answer and found.part
    defer(["deferred_late.part"])
    assert found.part is whole and found.loads == [1]
