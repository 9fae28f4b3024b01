"""Whole texts of messages: compared, missing, unused, rewritten; and that each has its test."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
from fixtures.messages import FIXTURE, NAME, Comparison, MessageFile, without_paths

TESTS = pathlib.Path(__file__).parent


def compared(path, key, *texts, update=False):
    comparison = Comparison(MessageFile(path), key, update, str)
    for text in texts:
        comparison(text, "size", "Pass")
    comparison.finish()


def test_what_is_written_is_compared(tmp_path):
    path = tmp_path / NAME
    first, second = "size: got 1. Pass 2.", "size: got 3. Pass 4."
    compared(path, "test_a.py::test_b", first, second, update=True)
    compared(path, "test_a.py::test_b", first, second)
    assert json.loads(path.read_text()) == {"test_a.py::test_b": [first, second]}
    with pytest.raises(AssertionError, match="got 5"):
        compared(path, "test_a.py::test_b", "size: got 5. Pass 2.", second)
    with pytest.raises(AssertionError, match="leaves texts unused"):
        compared(path, "test_a.py::test_b", first)
    with pytest.raises(AssertionError, match=r"no text 3 of test_a\.py::test_b"):
        compared(path, "test_a.py::test_b", first, second, first)
    with pytest.raises(AssertionError, match=r"no text 1 of test_a\.py::test_c"):
        compared(path, "test_a.py::test_c", first)


def test_place_and_words_are_asserted_whatever_is_written(tmp_path):
    for text in ("level: got 1. Pass 2.", "size: got 1. Give 2."):
        with pytest.raises(AssertionError):
            compared(tmp_path / NAME, "test_a.py::test_b", text, update=True)
    assert not (tmp_path / NAME).exists()


def test_equal_texts_of_parameters_are_written_once(tmp_path):
    file = MessageFile(tmp_path / NAME)
    for parameter, text in {"x": "one", "y": "one", "z": "two"}.items():
        file.replace(f"test_a.py::test_b[{parameter}]", [text])
    assert file.texts == {"test_a.py::test_b": ["one"], "test_a.py::test_b[z]": ["two"]}
    assert MessageFile(file.path).texts == file.texts
    known = {f"test_a.py::test_b[{parameter}]" for parameter in "xyz"}
    assert file.unused("test_a.py", known) == set()
    assert file.unused("test_a.py", {"test_a.py::test_b[z]"}) == {"test_a.py::test_b"}
    again = MessageFile(file.path)
    for parameter in "xyz":
        again.replace(f"test_a.py::test_b[{parameter}]", ["three"])
    assert again.texts == {"test_a.py::test_b": ["three"]}
    again.replace("test_a.py::test_b", [])
    assert json.loads(file.path.read_text()) == {}


def test_paths_are_replaced(tmp_path):
    text = f"{tmp_path}/a.nsh: got {TESTS}/b.png"
    assert without_paths(text, tmp_path.parent) == "<tmp>/a.nsh: got <root>/tests/b.png"


def test_several_processes_do_not_write():
    command = [sys.executable, "-m", "pytest", "--update-messages", "-n2", "tests/test_messages.py"]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    assert done.returncode == 4
    assert "--update-messages: got several processes, need one. Add -n0." in done.stderr


def test_each_text_has_its_file_of_tests():
    for path in TESTS.rglob(NAME):
        for key in json.loads(path.read_text()):
            file = path.with_name(key.split("::")[0])
            assert file.exists() and FIXTURE in with_fixtures(file), f"{path}: {key} is no test"


def with_fixtures(file: pathlib.Path) -> str:
    """Return the text of a file of tests, and of those below fixtures/ that it inherits from."""
    text = file.read_text()
    names = re.findall(r"(?m)^from fixtures\.(\w+) import", text)
    return text + "".join((TESTS / "fixtures" / f"{name}.py").read_text() for name in names)
