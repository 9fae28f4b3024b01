"""material/received: a document that a page sent reaches nothing but the pictures beside it."""

from pathlib import Path

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.sandbox.loading import SandboxedDocument
from neuralshade.kinds.material.uploaded_document import DEEPEST, uploaded_material

STACK = '[[layer]]\nkind = "diffuse"\ncolor = "{}"\n'
HEAD = '<?xml version="1.0"?>\n<materialx version="1.39"{}>'
IMAGE = ('<image name="i" type="color3"><input name="file" type="filename" value="{}"/></image>'
         "</materialx>")  # fmt: skip


@pytest.fixture
def received(tmp_path, monkeypatch):
    """Give a function that writes a document beside a picture, and takes both as received."""
    monkeypatch.setattr(SandboxedDocument, "reference", lambda self, element: None)  # see sandbox/
    (tmp_path / "rust.png").write_bytes(b"picture")

    def received(name, text):
        (tmp_path / name).write_text(text)
        return uploaded_material(tmp_path / name, [tmp_path / "rust.png"])

    return received


@pytest.mark.parametrize("name, text, place", [
    ("a.toml", STACK.format("rust.png"), "rust.png"),
    ("a.toml", STACK.format("maps/rust.png"), "maps/rust.png"),
    ("a.mtlx", HEAD.format("") + IMAGE.format("maps/rust.png"), "maps/rust.png"),
    ("a.mtlx", HEAD.format(' fileprefix="maps/"') + IMAGE.format("rust.png"), "maps/rust.png"),
])  # fmt: skip
def test_pictures_lie_where_the_document_looks_for_them(received, tmp_path, name, text, place):
    (source,) = received(name, text).values()
    assert str(source) == str(tmp_path / name)
    assert isinstance(source, SandboxedDocument) == name.endswith(".mtlx")
    assert (tmp_path / place).read_bytes() == b"picture"


@pytest.mark.parametrize("path", ["/etc/a.png", "../a.png", "maps/../../a.png", "c:a.png"])
@pytest.mark.parametrize("name, text", [
    ("a.toml", STACK), ("a.mtlx", HEAD.format("") + IMAGE),
    ("a.mtlx", HEAD.replace("{}", ' fileprefix="{}"') + IMAGE.replace("{}", "rust.png")),
])  # fmt: skip
def test_paths_that_lead_elsewhere_are_refused(received, tmp_path, name, text, path):
    with pytest.raises(ConfigError) as raised:
        received(name, text.format(path))
    assert str(raised.value) == (f"{tmp_path / name}: got {path!r}, need pictures that are sent "
                                 "with it. Name them without folders above its own.")  # fmt: skip


@pytest.mark.parametrize("inside, what", [
    ('<implementation name="IM" sourcecode="x"/>', "'implementation'"),
    ('<nodedef name="ND" node="a" sourcecode="x"/>', "'sourcecode'"),
    ('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/x.mtlx"/>', "'include'"),
    ('<token name="t" type="string" value="/etc"/>', "'token'"),
    ("<nodegraph>" * DEEPEST + "</nodegraph>" * DEEPEST, f"elements {DEEPEST + 1} deep"),
])  # fmt: skip
def test_documents_bring_no_code_and_no_other_files(received, tmp_path, inside, what):
    with pytest.raises(ConfigError) as raised:
        received("a.mtlx", HEAD.format("") + inside + "</materialx>")
    assert str(raised.value) == (f"{tmp_path / 'a.mtlx'}: got {what}, need a document that brings "
                                 "no code and no other files. Fit it in a terminal.")  # fmt: skip


def test_what_is_read_by_two_parsers_is_what_was_looked_through(received, tmp_path):
    received("a.mtlx", HEAD.format("") + "<!-- <xi:include/> --></materialx>")
    assert "include" not in Path(tmp_path / "a.mtlx").read_text()


@pytest.mark.parametrize("name, text, line", [
    ("a.mtlx", "<!DOCTYPE a>" + HEAD.format("") + "</materialx>",
     "got a DOCTYPE, need a document without. Take it out."),
    ("a.mtlx", "<a", "got 'unclosed token: line 1, column 0', need a MaterialX document. Check the "
     "file."),
    ("a.toml", "a =", "need TOML. Mend that line."),
])  # fmt: skip
def test_what_is_no_document(received, name, text, line):
    with pytest.raises(ConfigError) as raised:
        received(name, text)
    assert str(raised.value).endswith(line)
