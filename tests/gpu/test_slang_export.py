"""gpu/slang_export: the compiler in slangpy's wheel, by the places that slang.h gives."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from neuralshade.errors import KernelError
from neuralshade.gpu import slang_com, slang_export
from neuralshade.gpu.slang_export import export_slang

spec = importlib.util.find_spec("slangpy")
if spec is None:
    pytest.skip("needs slangpy", allow_module_level=True)
HEADER = pathlib.Path(spec.origin).parent / "include/slang.h"
ADD = """
import neuralshade.optimizer.adam;
uniform AdamStep by;
RWStructuredBuffer<float> into;

[shader("compute")]
[numthreads(64, 2, 1)]
void add(uint3 thread : SV_DispatchThreadID)
{
    into[thread.x] += by.rate;
}
"""


def methods(interface: str) -> list[str]:
    """Return the names of an interface's own methods, in the order of slang.h."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    body = re.search(rf"struct {interface}\b[^;{{]*\{{(.*?)\n\s*\}};", text, re.DOTALL)[1]
    return re.findall(r"virtual[^;]*?SLANG_MCALL\s+(\w+)\s*\(", body)


@pytest.mark.parametrize("interface, bases, places", [
    ("ISlangUnknown", [], {"release": slang_com.RELEASE}),
    ("ISlangBlob", ["ISlangUnknown"], {"getBufferPointer": slang_com.BLOB_POINTER,
                                       "getBufferSize": slang_com.BLOB_SIZE}),
    ("IGlobalSession", ["ISlangUnknown"], {"createSession": slang_com.CREATE_SESSION,
                                           "parseCommandLineArguments": slang_com.PARSE_ARGUMENTS}),
    ("ISession", ["ISlangUnknown"], {"createCompositeComponentType": slang_com.COMPOSE,
                                     "loadModuleFromSourceString": slang_com.LOAD_SOURCE}),
    ("IComponentType", ["ISlangUnknown"], {"getLayout": slang_com.GET_LAYOUT,
                                           "getEntryPointCode": slang_com.ENTRY_POINT_CODE,
                                           "link": slang_com.LINK}),
    ("IModule", ["ISlangUnknown", "IComponentType"],
     {"findEntryPointByName": slang_com.FIND_ENTRY_POINT}),
])  # fmt: skip
def test_methods_are_where_the_header_has_them(interface, bases, places):
    if not HEADER.exists():
        pytest.skip("this slangpy brings no slang.h")
    table = [name for base in (*bases, interface) for name in methods(base)]
    assert {name: table.index(name) for name in places} == places


def test_threads_get_what_each_asked_for():
    texts = [ADD.replace("by.rate", f"by.rate + {number}.0f") for number in range(6)]
    alone = [export_slang(text, "add").code for text in texts]
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(lambda text: export_slang(text, "add").code, texts)) == alone


def test_each_thread_has_a_compiler_for_itself(monkeypatch):
    """Two work at once, or they would not meet; and what one refused is no longer in its way."""
    had, meeting = [], threading.Barrier(2, timeout=60)
    kept = slang_export.kept_session

    def meets(arguments):
        had.append(slang_com.LENT.compiler.session.pointer)
        meeting.wait()
        return kept(arguments)

    monkeypatch.setattr(slang_com.QUEUE, "patience", 0)
    monkeypatch.setattr(slang_export, "kept_session", meets)

    def told(text):
        try:
            return export_slang(text, "add").code
        except KernelError as error:
            return str(error)

    with ThreadPoolExecutor(2) as pool:
        first, refused, *again = pool.map(told, [ADD, "void f() { undefined_thing(); }", ADD, ADD])
    assert again == [first, first] and "undefined_thing" in refused
    assert len(set(had[:2])) == len(set(had[2:])) == 2


@pytest.fixture
def sessions(monkeypatch):
    """Give the list of sessions that compilers make from now on, and no compiler at first."""
    made, new = [], slang_com.new_session
    monkeypatch.setattr(slang_com.QUEUE, "kept", [])
    for module in (slang_com, slang_export):
        monkeypatch.setattr(module, "new_session", lambda given: made.append(given) or new(given))
    return made


def numbered(number):
    return ADD.replace("by.rate", f"by.rate + {number}.0f")


def test_texts_share_a_session_which_does_not_show_in_their_code(sessions):
    codes = [export_slang(numbered(number), "add") for number in (1, 2, 1, 1)]
    assert len(sessions) == 1
    slang_com.QUEUE.kept.clear()
    assert codes == [export_slang(numbered(number), "add") for number in (1, 2, 1, 1)]
    export_slang(ADD, "add", "wgsl")
    assert len(sessions) == 3


def test_a_process_ends_quietly_with_a_session(tmp_path):
    path = tmp_path / "add.slang"
    path.write_text(ADD)
    code = (f"import gc, pathlib; text = pathlib.Path({str(path)!r}).read_text()\n"
            "from neuralshade.gpu.slang_export import export_slang\n"
            "export_slang(text, 'add'); kept = export_slang; gc.freeze()")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_files_that_may_change_are_read_anew(sessions, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "import other;\n" + ADD.replace("by.rate", "by.rate + more")
    for number in ("3.25f", "4.25f"):
        (tmp_path / "other.slang").write_text(f"public static const float more = {number};")
        assert number[:-1] in export_slang(text, "add").code


def test_a_session_takes_a_bounded_number_of_texts(sessions, monkeypatch):
    monkeypatch.setattr(slang_com, "MOST_MODULES", 3)
    for number in range(7):
        export_slang(numbered(number), "add")
    assert len(sessions) == 3


def test_after_a_refused_text_a_new_session_begins(sessions):
    export_slang(ADD, "add")
    with pytest.raises(KernelError, match=r"exported\.slang"):
        export_slang("void f() { undefined_thing(); }", "f")
    assert len(sessions) == 2  # the second one compiled the refused text by itself
    export_slang(ADD, "add")
    export_slang(ADD, "add")
    assert len(sessions) == 3


def test_an_entry_point_becomes_cuda_text():
    exported = export_slang(ADD, "add")
    assert 'extern "C" __global__ void add()' in exported.code
    assert [p["name"] for p in exported.reflection["parameters"]] == ["by", "into"]
    assert exported.reflection["entryPoints"][0]["threadGroupSize"] == [64, 2, 1]
    assert export_slang(ADD, "add") == exported


def test_other_targets_are_there_too():
    assert "fn add(" in export_slang(ADD, "add", "wgsl").code


def test_text_that_does_not_compile_is_refused_with_the_compiler_s_words():
    with pytest.raises(KernelError) as caught:
        export_slang("void f() { undefined_thing(); }", "f")
    first, *rest = str(caught.value).splitlines()
    assert first == (
        "kernel: got Slang text that does not compile, need one that does. The compiler says:"
    )
    assert any("undefined identifier 'undefined_thing'" in line for line in rest)


def test_a_missing_entry_point_is_refused(same_message):
    with pytest.raises(KernelError) as caught:
        export_slang(ADD, "subtract")
    same_message(str(caught.value), "kernel", "Mark")
