"""kinds/shader/screening: a stranger's module may compute, and nothing else."""

import pathlib

import pytest

from neuralshade.errors import AssetError
from neuralshade.kinds.shader.screening import check_kernel, check_source
from neuralshade.kinds.shader.source import ShaderSource, load_shader

ROOT = pathlib.Path(__file__).parents[3]
SHIPPED = sorted([*(ROOT / "examples").rglob("*.slang"), *(ROOT / "tests/data").glob("*.slang")])
KERNEL = """
RWStructuredBuffer<float> into;
struct Point { float x; Point* next; }
float task(float x) { BODY }
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) { into[thread.x] = task(float(thread.x)); }
"""
WORDS = [
    "Ptr<float> p;", "float x = spirv_asm { result:$$float = OpUndef; };",
    '__intrinsic_asm "system";', '__target_intrinsic(cuda, "x") float f();',
    '[__requirePrelude("#include <stdio.h>")] float f();', "__target_switch { case cuda: }",
    "__requirePrelude(x)", "let a = __getAddress(x);", "ConstBufferPointer<float> p;",
    '[DllImport("libc")] int system(NativeString s);', "NativeRef<float> r;",
    "ResourceDescriptorHeap[0]", "[CudaKernel] void f() {}", "DescriptorHandle<Texture2D> t;",
]  # fmt: skip
HIDDEN = [
    "P##tr<float> p;",
    "#define A(x, y) x##y\nA(P, tr)<float> p;",
    "spirv\\\n_asm { }",
    "/* a */ Ptr /* b */ <float> p;",
    '"//" Ptr<float> p;',
    "'\"' Ptr<float> p;",
    'R"(" /* )" Ptr<float> p; //*/',
    '"a\n/* " Ptr<float> p; //*/',
    "don't /* ' */ Ptr<float> p;",
    "'\\'' /* ' */ Ptr<float> p; /* ' */",
    "\\u0050tr<float> p;",
    "// a\rPtr<float> p;",
    "// a \\\nPtr<float> p;",
    "// a\x0bPtr<float> p;",
    "/*\x00*/ float p;",
    "P\x00tr p;",
    "int a = 1 \\ 2;",
    "'\\\n' Ptr<float> p;",
]
OUTSIDE = [
    '#include "/etc/passwd"', '#include "../secret.slang"', "#include <stdio.h>",
    '#define F "/etc/passwd"\n#include F', 'import "/etc/passwd";', '__include "../x";',
    '  #  include "other.slang"', "import other;", 'import "a/../../b";', '#include "C:/x"',
    '#/**/include "/etc/passwd"', 'import/**/"/etc/passwd";', "import a .. b;",
    '# \\\ninclude "/etc/passwd"', '// a\r#include "/etc/passwd"', '\f#include "/etc/passwd"',
    '// a \\\n#include "/etc/passwd"', '#define I import\nI other;', 'import\n"/etc/passwd";',
    '#include "neuralshade/../../x"', '/* a */ #include "/etc/passwd"',
]  # fmt: skip


def source(text, **files):
    return ShaderSource(text, "t.slang", {f"{name}.slang": text for name, text in files.items()})


@pytest.mark.parametrize("text", WORDS + HIDDEN)
def test_words_that_reach_beyond_a_task(text, refusal):
    message = refusal(AssetError, check_source, source(f"float a;\n{text}\n"))
    assert message.startswith("t.slang: got ") and "of t.slang, need a task without it" in message


@pytest.mark.parametrize("text", [word for word in WORDS if "__" not in word])
def test_comments_may_say_anything(text):
    check_source(source(f"// {text}\n/* {text}\n{text} */\n"))


def test_the_line_is_told(refusal):
    message = refusal(AssetError, check_source, source("float a;\n/*\n*/\nPtr<float> p;"))
    assert message.startswith("t.slang: got Ptr in line 4 of t.slang, ")


def test_files_of_the_asset_are_looked_through_too(refusal):
    module = source("import inks;", inks="Ptr<float> p;")
    assert " in line 1 of inks.slang" in refusal(AssetError, check_source, module)


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_taken_in_is_the_asset_s(text, refusal):
    message = refusal(AssetError, check_source, source(f"float a;\n{text}\n"))
    assert message.startswith("t.slang: got ") and "Do not trust where it comes from." in message


@pytest.mark.parametrize("text", [
    '#define inks "/etc/passwd"\nimport inks;', '#define inks "/etc/passwd"\n#include inks',
    '#define F(inks) import inks;\nF("/etc/passwd")', '#define F(inks) \\\nimport inks;\nF("/x")',
])  # fmt: skip
def test_a_macro_of_the_same_name_as_a_file(text, refusal):
    message = refusal(AssetError, check_source, source(text, inks="float a;"))
    assert "need files of the asset or of neuralshade only" in message


@pytest.mark.parametrize("text", [
    "import inks;", '#include "inks.slang"', '__include "inks";', "import neuralshade.model.mlp;",
    '#include "neuralshade/gpu/random.slang"', "import inks ; // import other", "/* import o; */",
])  # fmt: skip
def test_what_is_there_may_be_taken_in(text):
    check_source(source(text, inks="float a;"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_what_is_shipped_passes(path):
    check_source(load_shader(path))


def test_there_is_something_shipped():
    assert len(SHIPPED) >= 6


@pytest.mark.parametrize("body", [
    "float* p = (float*)uint64_t(x); return *p;",
    "uint64_t at = uint64_t(x); return ((float*)at)[1];",
    "Point* p = (Point*)uint64_t(x); return p.next.x;",
    "return reinterpret<float*>(uint64_t(x))[0];",
    "*(float*)uint64_t(x) = 1; return 0;",
])  # fmt: skip
def test_addresses_show_in_what_is_emitted(body, refusal):
    pytest.importorskip("slangpy")
    text = KERNEL.replace("BODY", body)
    message = refusal(AssetError, check_kernel, text, "main", "x.nsh", None)
    assert message.startswith("x.nsh: got code that computes with addresses (")


@pytest.mark.parametrize("body", [
    "return x * x;", "float y[3] = { x, 2 * x, 3 }; y[uint(x) % 3] *= 2; return y[1];",
])  # fmt: skip
def test_arithmetic_passes(body):
    pytest.importorskip("slangpy")
    check_kernel(KERNEL.replace("BODY", body), "main", "x.nsh", None)
