"""scripts/software_vulkan: a machine's own apt entries become backports entries, and no others."""

import importlib.util
import pathlib

import pytest

PATH = pathlib.Path(__file__).parent.parent / "scripts/software_vulkan.py"
KNOWN = {("http://mirror.example/debian", "bookworm"), ("http://mirror.example/debian", "stable")}


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("software_vulkan", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "line, twin",
    [
        (
            "deb http://mirror.example/debian bookworm main",
            "deb http://mirror.example/debian bookworm-backports main",
        ),
        (
            "deb [arch=amd64 signed-by=/k] http://mirror.example/debian/ stable main # x",
            "deb [arch=amd64 signed-by=/k] http://mirror.example/debian/ bookworm-backports main",
        ),
        ("# deb http://mirror.example/debian bookworm main", None),
        ("deb-src http://mirror.example/debian bookworm main", None),
        ("deb http://mirror.example/debian-security bookworm-security main", None),
        ("deb https://other.example/apt bookworm main", None),
        ("", None),
    ],
)
def test_one_line_entries(script, line, twin):
    assert script.backports_line(line, "bookworm", KNOWN) == twin


def test_stanza_keeps_mirror_and_key(script):
    stanza = (
        "# the mirror next door\nTypes: deb deb-src\nURIs: http://mirror.example/debian/\n"
        "Suites: bookworm bookworm-updates\nComponents: main\n"
        "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
    )
    assert script.backports_stanza(stanza, "bookworm", KNOWN) == (
        "types: deb\nuris: http://mirror.example/debian/\nsuites: bookworm-backports\n"
        "components: main\nsigned-by:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
    )


@pytest.mark.parametrize(
    "stanza",
    [
        "Types: deb\nURIs: https://other.example/apt\nSuites: bookworm\nComponents: main\n",
        "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm-updates\n",
        "Enabled: no\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\n",
        "# nothing but a comment\n",
    ],
)
def test_other_stanzas_get_no_twin(script, stanza):
    assert script.backports_stanza(stanza, "bookworm", KNOWN) is None
