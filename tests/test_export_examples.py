"""scripts/export_examples: the examples of engines are what an export writes."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def script():
    spec = importlib.util.spec_from_file_location("examples", ROOT / "scripts/export_examples.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("example", script().EXAMPLES, ids=lambda one: one.engine)
def test_examples_are_what_an_export_writes(example):
    assert script().stale(example) == [], "run: python scripts/export_examples.py"
