"""asset/texture/bc7_process: blocks that processes encode are those of one alone."""

import sys

import numpy as np
import pytest

from neuralshade.asset.texture import bc7
from neuralshade.asset.texture.bc7 import compress_bc7
from neuralshade.base import cores


@pytest.fixture
def tiles():
    """Give enough tiles for three processes, some of them opaque."""
    rng = np.random.default_rng(0)
    found = rng.integers(0, 256, (130, 4, 4, 4), dtype=np.uint8)
    found[::3, ..., 3] = 255
    return found


@pytest.fixture
def spread(monkeypatch):
    """Let three cores share 40 tiles or more each."""
    for module in (bc7, cores):
        monkeypatch.setattr(module, "core_count", lambda: 3)
    monkeypatch.setattr(bc7, "LEAST_APART", 40)


def test_processes_make_the_same_blocks(tiles, spread, monkeypatch, caplog):
    together = compress_bc7(tiles)
    monkeypatch.setattr(bc7, "LEAST_APART", 10_000)
    assert np.array_equal(compress_bc7(tiles), together) and not caplog.messages


@pytest.mark.parametrize("executable", [None, "", "packed"])
def test_a_python_that_starts_no_other_encodes_alone(tiles, spread, monkeypatch, executable):
    monkeypatch.setattr("subprocess.run", lambda *given, **named: pytest.fail("started"))
    monkeypatch.setattr(sys, "frozen", executable == "packed", raising=False)
    monkeypatch.setattr(sys, "executable", executable)
    assert compress_bc7(tiles).shape == (130, 16)


def test_a_process_that_fails_is_told_and_replaced(tiles, spread, monkeypatch, caplog):
    wanted = compress_bc7(tiles)
    monkeypatch.setattr(sys, "path", [])  # no etcpak there
    assert np.array_equal(compress_bc7(tiles), wanted)
    assert set(caplog.messages) == {
        "bc7: got a process that ended with 1, need none: this one goes on alone."
    }
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert np.array_equal(compress_bc7(tiles), wanted)
    assert "No such file" in caplog.messages[-1]
