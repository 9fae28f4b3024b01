"""kinds/shader/source: a module's own files are in its folder, and no other file is ever quoted."""

import pytest

from neuralshade.errors import ConfigError
from neuralshade.gpu.import_check import check_imports
from neuralshade.kinds.shader.source import load_shader

SECRET = "the word is swordfish\n"
OUTSIDE = "which it takes in, need files in its own folder or below, which an asset can hold."


@pytest.fixture
def folder(tmp_path):
    """Give a folder for modules, beside a file that is none of theirs."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "inner").mkdir()
    return tmp_path / "inner"


@pytest.mark.parametrize("text", [
    '#include "../secret.txt"', '#include "ABSOLUTE"', 'import "ABSOLUTE";', '__include"ABSOLUTE";',
    '  #  include/**/"ABSOLUTE"', '#\\\ninclude "ABSOLUTE"', '#include "sub/../../secret.txt"',
    'R"(" /* )"\n#include "ABSOLUTE"\n//*/', "// a\r#include \"ABSOLUTE\"", '#include "link.txt"',
    '#include "link.txt" // import other',
])  # fmt: skip
def test_files_elsewhere_are_refused_before_they_are_read(folder, refusal, monkeypatch, text):
    def compiled(*given):
        raise AssertionError("the compiler was asked")

    monkeypatch.setattr("neuralshade.kinds.shader.source.module_files", compiled)
    secret = folder.parent / "secret.txt"
    (folder / "sub").mkdir()
    (folder / "link.txt").symlink_to(secret)
    (folder / "task.slang").write_text(text.replace("ABSOLUTE", str(secret)))
    message = refusal(ConfigError, load_shader, folder / "task.slang")
    assert message == f"{folder / 'task.slang'}: got {secret}, {OUTSIDE} Copy it there."


def test_files_that_own_files_take_in_are_looked_at_too(folder, refusal):
    (folder / "a_b.slang").write_text('#include "c.h"')
    (folder / "c.h").write_text('#include "../secret.txt"')
    message = refusal(ConfigError, check_imports, "import a_b;", str(folder / "task.slang"))
    assert "secret.txt, which it takes in" in message and "swordfish" not in message


def test_a_name_that_only_the_compiler_knows_is_refused(folder, refusal):
    place = str(folder / "task.slang")
    message = refusal(ConfigError, check_imports, '#define F "a.h"\n#include F\n', place)
    assert message == (f"{place}: got 'F' taken in by line 2 of task.slang, need the name of a "
                       "file. Write it in quotes.")  # fmt: skip


@pytest.mark.parametrize("text", [
    "import neuralshade.gpu.random;", 'import a;\n#include "sub/b.h"', "import absent;",
    '// #include "../secret.txt"', "import a; import sub.b;",
])  # fmt: skip
def test_its_own_files_may_take_in_each_other(folder, text):
    (folder / "sub").mkdir()
    (folder / "a.slang").write_text('#include "sub/b.h"')
    (folder / "sub/b.h").write_text('#include "../a.slang"')
    check_imports(text, str(folder / "task.slang"))
