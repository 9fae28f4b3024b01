"""base/bytecode_ahead: a command reads the bytecode of its modules ahead, and runs as without."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads ahead on Linux alone")

RUN = """
import sys
from pathlib import Path
from neuralshade.base import bytecode_ahead as module
module.PYTORCH = "pack"  # loads fast, and has no libraries
sys.path[:0] = [{folder!r}]
verbs = ["fit", "image"]
module.read_ahead(verbs)
import pack.inner
print(pack.inner.VALUE, type(pack.inner.__loader__).__name__, pack.inner.__file__,
      pack.__path__, pack.inner.__spec__.cached)
module.keep_names(verbs)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a package of one module, whose names a command of these tests keeps."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"):
        monkeypatch.delenv(variable, raising=False)
    folder = tmp_path / "site" / "pack"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "inner.py").write_text("VALUE = 1\n")
    return folder


def imported(package):
    """Return what a command imports, and by which loader."""
    code = RUN.format(folder=str(package.parent))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    value, loader, *places = done.stdout.split(maxsplit=2)  # of one line: this is not imported
    return value, loader, places


def kept(package):
    return package.parents[1] / "cache" / "neuralshade" / "imports" / "fit-image.txt"


def test_the_second_command_reads_ahead_what_the_first_one_imported(package):
    first = imported(package)
    assert first[:2] == ("1", "SourceFileLoader")
    assert {"pack", "pack.inner"} <= set(kept(package).read_text().split())
    value, loader, places = imported(package)
    assert (value, loader, places) == ("1", "_Loader", first[2])


def test_what_changed_since_is_read_anew(package):
    imported(package)
    (package / "inner.py").write_text("VALUE = 'another'\n")
    assert imported(package)[0] == "another"


def test_a_module_that_another_hides_now_is_not_run(package, tmp_path):
    imported(package)
    (package / "inner.py").unlink()
    (package / "inner").mkdir()
    (package / "inner" / "__init__.py").write_text("VALUE = 'a package'\n")
    assert imported(package)[0] == "a"


def test_without_bytecode_nothing_is_compiled_ahead(package, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    imported(package)
    assert imported(package)[1] == "SourceFileLoader"


@pytest.mark.parametrize("content", [
    b"\xff\x00", b"", b"\npack\n../../etc/passwd\npack..inner\npack.nowhere\nnowhere\n.\n",
    b"pack\n" * 9999, b"this pack.inner nowhere\npack\n",
], ids=["bytes", "empty", "no names", "long", "not compiled"])  # fmt: skip
def test_a_broken_record_is_of_no_effect(package, content):
    imported(package)
    kept(package).write_bytes(content)
    assert imported(package)[0] == "1"
    assert "pack.inner" in kept(package).read_text().split()


def test_names_stay_where_a_command_loads_few_others(package):
    imported(package)
    names = kept(package).read_text()
    few = names.replace("pack.inner\n", "")  # of more than twenty
    kept(package).write_text(few)
    imported(package)
    assert kept(package).read_text() == few != names
    kept(package).write_text("\npack")
    imported(package)
    assert set(names.split()) <= set(kept(package).read_text().split())


def test_where_nothing_can_be_kept_nothing_is_read_ahead(package, tmp_path):
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert [imported(package)[1] for _ in range(2)] == ["SourceFileLoader"] * 2


def test_only_words_of_a_command_name_its_record(monkeypatch):
    from neuralshade.base.bytecode_ahead import _record

    assert _record(["fit", "image", "x.png"]).name == "fit-image.txt"
    assert _record(["view", "../x.nsh"]).name == "view.txt"
    assert [_record(each) for each in ([], ["--help"], ["-v", "fit"], ["../fit"])] == [None] * 4


@pytest.mark.slow
def test_a_fit_is_the_same_with_what_was_read_ahead_and_ends_while_it_loads(package, tmp_path):
    """PyTorch's libraries are loaded by a thread then."""
    picture = tmp_path / "p.ppm"
    picture.write_bytes(b"P6 9 8 255\n" + bytes(range(216)))
    command = [sys.executable, "-m", "neuralshade", "fit", "image", str(picture), "--device", "cpu",
               "--steps", "20", "-o"]  # fmt: skip
    places = {"env": os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path / "pyc")}}
    for name in ("first.nsh", "second.nsh"):
        subprocess.run([*command, str(tmp_path / name)], check=True, capture_output=True, **places)
    assert "torch.nn" in kept(package).read_text().split()
    first, second = (load_file(tmp_path / name) for name in ("first.nsh", "second.nsh"))
    assert list(first) == list(second)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    for _ in range(3):
        loading = subprocess.Popen([*command, str(tmp_path / "third.nsh")], text=True,
                                   stderr=subprocess.PIPE, **places)  # fmt: skip
        while "libtorch_cpu" not in Path(f"/proc/{loading.pid}/maps").read_text():
            assert loading.poll() is None
        loading.send_signal(signal.SIGINT)
        assert loading.communicate()[1] == "neuralshade: interrupted.\n"
        assert loading.returncode == 130
