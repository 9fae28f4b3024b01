"""kinds/material/sandbox: a document that is trusted, or a stranger's, in a sandbox."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.materialx import load_materialx
from neuralshade.kinds.material.references.sources import load_reference
from neuralshade.kinds.material.sandbox import loading
from neuralshade.kinds.material.sandbox.loading import SandboxedDocument
from neuralshade.kinds.material.sandbox.message import reference_from_message, reference_message

pytest.importorskip("MaterialX", reason="has no wheel for this machine")

TOP = """
<oren_nayar_diffuse_bsdf name="top" type="BSDF">
  <input name="weight" type="float" nodename="w"/>
</oren_nayar_diffuse_bsdf>
"""
DEFINED = '<nodedef name="ND_own" node="own">{}<output name="out" type="float"/></nodedef>'
PLAIN = '<add name="w" type="float"><input name="in1" type="float" value="0.25"/></add>' + TOP
SELF = f"""{DEFINED.format("")}<nodegraph name="NG_own" nodedef="ND_own">
<own name="o" type="float"/><output name="out" type="float" nodename="o"/></nodegraph>
<own name="w" type="float"/>{TOP}"""
DISTRUST = "Do not trust where it comes from."


def own(attributes, inputs=""):
    """Return nodes of a document whose definition is implemented by code."""
    implemented = f'<implementation name="IM_own" nodedef="ND_own" target="genslang" {attributes}/>'
    return DEFINED.format(inputs) + implemented + '<own name="w" type="float"/>' + TOP


@pytest.mark.slow
def test_code_that_is_trusted_and_computes(device, document, tmp_path):
    """Files in the document's folder and below are taken in; what is made is as it is anyway."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/half.slang").write_text("float half_of(float x) { return 0.5 * x; }\n")
    text = '#include "lib/half.slang"\nvoid own(out float r) { r = half_of(0.5); }\n'
    (tmp_path / "own.slang").write_text(text)
    reference = load_reference(document(own('file="own.slang" function="own"')), trust=True)
    assert "half_of(0.5)" in reference.text and reference.parameters == ("w_out",)
    assert reference.written is not None


IN_A_FILE = 'file="own.slang" function="own"'
OUTSIDE = "need files in the document's folder or of MaterialX only."
ATTACKS = [
    ('sourcecode="Ptr&lt;float&gt;(16)"', "", "got Ptr in line 1 of implementation IM_own, need "),
    ('sourcecode="spirv_asm { OpNop; }"', "", "got spirv_asm in line 1 of implementation IM_own"),
    ('sourcecode="f(); } void g() { __intrinsic_asm &quot;x&quot;; "', "", "got __intrinsic_asm "),
    ('sourcecode="P##tr(16)"', "", "got ## in line 1 of implementation IM_own"),
    ('file="/etc/passwd" function="x"', "", f"got '/etc/passwd' taken in by implementation IM_own, "
     f"{OUTSIDE}"),
    ('file="../x.slang" function="x"', "", "got '../x.slang' taken in by implementation IM_own"),
    ('file="link.slang" function="x"', "", "got 'link.slang' taken in by implementation IM_own"),
    ('file="no.slang" function="x"', "", "got 'no.slang' taken in by implementation IM_own"),
    ('file="C:\\x.slang" function="x"', "", "taken in by implementation IM_own"),
    (f'file="{"a" * 5000}"', "", "taken in by implementation IM_own"),
    (IN_A_FILE, '#include "/etc/passwd"\n', "got '/etc/passwd' taken in by line 1 of own.slang"),
    (IN_A_FILE, '// #include "../x.slang"\n', "taken in by line 1 of own.slang"),
    (IN_A_FILE, "#include <x>\n", "got '#include <x>' taken in by line 1 of own.slang"),
    (IN_A_FILE, '# include "/etc/passwd"\n', "taken in by line "),
    (IN_A_FILE, '#define F "/etc/passwd"\n#include F\n', "got '#include F' taken in by line 2"),
    (IN_A_FILE, 'import "/etc/passwd";\n', "taken in by line "),
    (IN_A_FILE, "import own;\n", "taken in by line "),
    (IN_A_FILE, "void f(Ptr<float> p) { }\n", "got Ptr in line 1 of own.slang"),
    (IN_A_FILE, "#define A(x, y) x##y\n", "got ## in line 1 of own.slang"),
    ('file="own.slang" function="own(w_out); //"', "", "got function 'own(w_out); //' of "),
]  # fmt: skip


@pytest.mark.parametrize("attributes, before, message", ATTACKS)
def test_code_that_is_trusted_is_looked_through(document, tmp_path, attributes, before, message):
    """In the sandbox; here it is called without one, which takes less time."""
    (tmp_path / "own.slang").write_text(f"{before}void own(out float r) {{ r = 0.5; }}\n")
    (tmp_path / "link.slang").symlink_to("/etc/passwd")
    path = document(own(attributes))
    with pytest.raises(ConfigError) as raised:
        load_materialx(path, trust=True, in_sandbox=True)
    assert str(raised.value).startswith(f"{path}: got ") and message in str(raised.value)
    assert str(raised.value).endswith(DISTRUST)


def test_an_included_document_s_code_lies_in_the_folder_of_the_first(document, tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "own.slang").write_text("void own(out float r) { r = 0.5; }\n")
    code = own(IN_A_FILE).split("<own ")[0]
    document(code, "</materialx>", "code.mtlx")
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="../code.mtlx"/>'
    path = document(f'{include}<own name="w" type="float"/>{TOP}', name="inside/x.mtlx")
    with pytest.raises(ConfigError, match=r"'own\.slang' taken in by implementation IM_own"):
        load_materialx(path, trust=True, in_sandbox=True)


@pytest.mark.slow  # compiles
def test_pointers_end_where_their_kernels_compute_with_addresses(document, refusal):
    path = document(own('sourcecode="float(*((uint*)uint64_t(16)))"'))
    assert refusal(ConfigError, load_materialx, path, trust=True) == (
        f"{path}: got code that computes with addresses (PhysicalStorageBufferAddresses), need "
        f"code without pointers: such code can reach all memory. {DISTRUST}")  # fmt: skip


def test_words_that_are_glued_together(document):
    text = '<input name="x" type="string" value="tr"/>'
    path = document(own('sourcecode="P{{x}}(16)"', text))
    reference = load_materialx(path, trust=True, in_sandbox=True)
    assert "Ptr" not in reference.text


def test_a_reference_comes_back_as_it_was(document):
    reference = load_materialx(document(PLAIN))
    data, arrays = reference_message(reference)
    back = reference_from_message(data, arrays, document(PLAIN))
    for name in ("name", "text", "parameters", "notes", "element", "coarse", "targets", "inputs"):
        assert getattr(back, name) == getattr(reference, name)
    np.testing.assert_array_equal(back.variables["picture_words"], arrays[0])


@pytest.mark.parametrize("changed", [
    {"text": 3}, {"text": None}, {"parameters": "x"}, {"notes": [1]}, {"element": 1},
    {"inputs": {"a": ["x"]}}, {"inputs": [1]}, {"coarse": 1}, {"inputs": {"a": ["x", 1]}},
])  # fmt: skip
def test_what_is_no_reference(document, changed):
    data, arrays = reference_message(load_materialx(document(PLAIN)))
    assert reference_from_message(data | changed, arrays, document(PLAIN)) is None
    assert reference_from_message(data, (), document(PLAIN)) is None


def test_text_of_a_sandbox_is_looked_through_here(document, refusal):
    data, arrays = reference_message(load_materialx(document(PLAIN)))
    data["text"] += "Ptr<float> p;"
    path = document(PLAIN)
    assert refusal(ConfigError, reference_from_message, data, arrays, path).startswith(
        f"{path}: got a document that becomes code with Ptr, ")  # fmt: skip


def test_the_path_of_a_stranger_s_document_is_loaded_in_a_sandbox(document, monkeypatch):
    calls = []

    def loaded(path, element):
        calls.append((path, element))
        return "reference"

    monkeypatch.setattr(loading, "load_sandboxed", loaded)
    path = SandboxedDocument(str(document(PLAIN)))
    assert [load_reference(path), load_reference(path), load_reference(path, "M")] == [
        "reference"
    ] * 3
    assert calls == [(str(path), None), (str(path), "M")]
