"""gpu/module_files: what a module takes in is found, and where compilers find it is safe."""

import pytest

from neuralshade.errors import ConfigError, KernelError
from neuralshade.gpu.module_files import files_folder, module_files

pytest.importorskip("slangpy")
ALONE = "import neuralshade.gpu.random;\n"


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.slang").write_text(text)
    return str(folder / "main.slang")


def test_what_is_imported_included_and_imported_by_those(tmp_path):
    place = write(tmp_path, a="import c;", b="// b\n", c="public float f() { return 1; }")
    text = ALONE + 'import a;\n#include "b.slang"\n'
    assert module_files(text, place) == {
        "a.slang": "import c;", "b.slang": "// b\n", "c.slang": "public float f() { return 1; }",
    }  # fmt: skip
    assert module_files(ALONE, place) == {}
    assert module_files("// import nothing, but say so\n", place) == {}


def test_places_from_the_current_folder_on(tmp_path, monkeypatch):
    write(tmp_path, a="// a\n")
    monkeypatch.chdir(tmp_path)
    assert module_files("import a;", "main.slang") == {"a.slang": "// a\n"}


def test_what_is_not_there_is_told_with_file_and_line(tmp_path):
    place = write(tmp_path)
    with pytest.raises(KernelError) as caught:
        module_files("\nimport absent;", place)
    assert f"--> {place}:2:8" in str(caught.value)


def test_files_above_the_folder_are_refused(tmp_path):
    write(tmp_path, a="// a\n")
    place = write(tmp_path / "inner")
    with pytest.raises(ConfigError) as caught:
        module_files('#include "../a.slang"\n', place)
    assert str(caught.value) == (
        f"{place}: got {tmp_path}/a.slang, which it takes in, need files in its own folder or "
        "below, which an asset can hold. Copy it there."
    )


def test_files_are_where_they_are_said_to_be():
    files = {"a.slang": "// a\n", "b/c.slang": "// c\n"}
    folder = files_folder(files)
    for name, text in files.items():
        assert (folder / name).read_text() == text
    assert files_folder(dict(reversed(files.items()))) == folder  # made once
    assert files_folder({"a.slang": "// b\n"}) != folder


@pytest.mark.parametrize("name", ["../a.slang", "/tmp/a.slang", "b/../../a.slang", "c:\\a", "c:a"])
def test_names_that_lead_out_of_the_folder_are_refused(name):
    with pytest.raises(ConfigError) as caught:
        files_folder({name: "// a\n"})
    assert str(caught.value) == (
        f"module: got a file named {name!r}, need one within its folder. Do not trust where it "
        "comes from."
    )
