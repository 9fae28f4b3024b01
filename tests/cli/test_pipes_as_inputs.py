"""A named pipe in place of an input is refused at once: nobody may ever write into it."""

import os
import signal

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
PIPE = "got a device or pipe, need"
PATIENCE_SECONDS = 60
INCLUDES = """<materialx version="1.39" xmlns:xi="http://www.w3.org/2001/XInclude">
  <xi:include href="p.mtlx"/>
</materialx>"""


@pytest.fixture(autouse=True)
def patience():
    """Fail, rather than wait for ever, where a pipe is opened after all."""

    def fail(*_):
        pytest.fail("a pipe was waited for")  # no OSError, which would be taken for a refusal

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name, arguments, need", [
    ("p.png", ("fit", "image", "p.png"), "a regular file. Save the picture as one first."),
    ("p.png", ("evaluate", "asset", "p.png"), "a regular file. Save the picture as one first."),
    ("p.nsh", ("info", "p.nsh"), "a readable asset file. Check the path."),
    ("p.nsh", ("render", "p.nsh", "-o", "x.png"), "a readable asset file. Check the path."),
    ("p.nsh", ("fit", "image", "a.png", "--resume", "p.nsh"),
     "a readable asset file. Check the path."),
    ("p.toml", ("fit", "image", "a.png", "--recipe", "p.toml"),
     "a TOML file of recipe settings. Check the path."),
    ("p.json", ("fit", "image", "a.png", "--recipe", "p.json"),
     "a JSON file in tiny-cuda-nn's form. Check the path."),
    ("p.json", ("fit", "mipmaps", "p.json"),
     "a folder of maps or a .json manifest. Check its permissions and its disk."),
    ("p.slang", ("fit", "shader", "p.slang"), "a .slang file. Check the path."),
    ("p.slang", ("fit", "material", "p.slang"), "a .slang file. Check the path."),
    ("p.toml", ("fit", "material", "p.toml"), "a .toml file. Check the path."),
    ("p.nsh", ("decode", "p.nsh", "-o", "maps"), "a readable asset file. Check the path."),
    ("p.toml", ("scene", "p.toml", "-o", "x.png"), "a scene's TOML file. Check the path."),
])  # fmt: skip
def test_a_pipe_is_refused(folder, refused, fitted_asset, name, arguments, need):
    os.mkfifo(folder / name)
    given = [fitted_asset if word == "asset" else word for word in arguments]
    assert refused(*given) == f"{name}: {PIPE} {need}"


@pytest.mark.parametrize("name, said", [  # given, and taken in by what is given
    ("p.mtlx", f"p.mtlx: {PIPE} a MaterialX document. Check the path."),
    ("a.mtlx", "a.mtlx: got a device or pipe at p.mtlx, which it includes, need a MaterialX "
     "document. Check its xi:include."),
])  # fmt: skip
def test_a_pipe_is_no_materialx_document(folder, refused, name, said):
    pytest.importorskip("MaterialX")
    os.mkfifo(folder / "p.mtlx")
    (folder / "a.mtlx").write_text(INCLUDES)
    assert refused("fit", "material", name) == said


def test_a_device_is_refused(refused, folder):
    message = refused("info", "/dev/zero")
    assert message == f"/dev/zero: {PIPE} a readable asset file. Check the path."
