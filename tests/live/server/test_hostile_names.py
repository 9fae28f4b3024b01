"""live/app: uploads by names that no file system takes, at every door, end in one answer each."""

import json
import re
from pathlib import Path

import pytest

from neuralshade.live.upload_checks import LONGEST_NAME, plain_name
from neuralshade.live.uploads import Uploads

NAMES = [
    "", "%00", "..", ".", "%2e%2e%2f..%2fetc%2fpasswd", "..%5c..%5cboot.ini", "%2f", "%5c", "a%2f",
    "x" * 300, "x" * 5000, "%2f" * 2000, "a%2f" * 1600, "%c3%a9" * 800, "%ff%fe", "%ed%a0%80",
    "%0a%0d%09%1b[2J%7f", "a%00b", "%e2%80%ae" + "gnp", "%20" * 90, "a" + "." * 90 + "b",
    "C%3a", "CON", "-rf", "~", "$(x)", "%25s%25n", "a%26of%3dm1", "+", "%", "%zz",
]  # fmt: skip
SAFE = re.compile(r"[\w() -][\w.() -]{0,79}", re.ASCII)


@pytest.fixture
def uploads():
    made = Uploads(run_shaders=True)
    yield made
    made.close()


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_is_made_safe_or_refused(ask, uploads, png_file, name):
    root = Path(uploads._folder.path)
    for door, suffix, body in (
        ("picture", ".png", png_file()), ("picture", "", png_file()),
        ("maps", "_albedo.png", png_file()), ("maps", "", png_file()),
        ("source", ".toml", b'[[layer]]\nkind = "diffuse"\n'), ("source", "", b""),
        ("maps", ".png&of=m1" + name, png_file()), ("source", ".png&of=" + name, png_file()),
    ):  # fmt: skip
        answer = ask(f"/{door}?name={name}{suffix}", body)
        said = json.loads(answer.body)
        assert answer.status == 200 or 400 <= answer.status < 500, said
        if answer.status != 200:
            line = said["refused"]
            assert len(line) < 500 and line.isprintable(), line
            assert str(root) not in line and "Traceback" not in line
    for path in root.rglob("*"):
        assert SAFE.fullmatch(path.name), path
        assert root.resolve() in path.resolve().parents
    assert ask("/picture?name=a.png", png_file()).status == 200  # it lives


@pytest.mark.parametrize("name", [
    "a" + "." * 90 + "b.png", "a" * 80 + " ." * 30 + "b.png", "." * 200, " " * 200 + "a",
    "\ud800.png", "a" * 100000, "/" * 100000, "\\" * 9, "\x7f", "\u3000.png",
])  # fmt: skip
def test_a_plain_name_is_no_hidden_file(name):
    plain = plain_name(name)
    assert SAFE.fullmatch(plain) and len(plain) <= LONGEST_NAME and plain_name(plain) == plain
    assert not plain.startswith((".", " ")) and not plain.endswith((".", " "))
