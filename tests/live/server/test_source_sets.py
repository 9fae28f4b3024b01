"""live/source_sets: documents and their pictures, where whoever started the server lets them in."""

import json
from pathlib import Path

import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds import all_kinds
from neuralshade.live import source_sets as module
from neuralshade.live.upload_checks import MOST_SETS, RefusedError
from neuralshade.live.uploads import Uploads
from neuralshade.source.file_kind import PICTURE_SUFFIXES

KINDS = {kind.name: kind for kind in all_kinds()}
STACK = b'[[layer]]\nkind = "diffuse"\ncolor = "rust.png"\n'


@pytest.fixture
def uploads():
    made = Uploads(run_shaders=True)
    yield made
    made.close()


@pytest.fixture
def add(uploads):
    """Give a function that adds an upload to a set, at a size that is claimed."""

    def add(name, key=None, width=4, height=4, content=b"x"):
        path = uploads.path(name)
        path.write_bytes(content)
        if key is None:
            return uploads.sources.begin(path)["source"]
        return uploads.sources.add(key, path, width, height)["source"]

    return add


def files(uploads):
    return sorted(p.name for p in Path(uploads._folder.path).rglob("*") if p.is_file())


def test_a_document_and_its_pictures_come_into_one_folder(ask, uploads, png_file):
    first = json.loads(ask("/source?name=paint.toml", STACK).body)
    assert first == {"source": first["source"], "name": "paint.toml", "files": [],
                     "kinds": ["material"]}  # fmt: skip
    said = json.loads(ask(f"/source?name=rust.png&of={first['source']}", png_file(5, 3)).body)
    assert said["files"] == [{"name": "rust.png", "width": 5, "height": 3}]
    given = uploads.sources.fit(first["source"], KINDS["material"])
    folder = Path(given["source"]).parent
    assert sorted(p.name for p in folder.iterdir()) == ["paint.toml", "rust.png"]
    assert folder.parent.samefile(uploads._folder.path)
    assert files(uploads) == ["paint.toml", "rust.png"]


def test_a_server_that_nobody_let_run_code_takes_none(channel, png_file):
    from neuralshade.live.server import Server
    from tests.live.server.conftest import Asking

    uploads = Uploads()
    server = Server(channel, uploads, "127.0.0.1", 0)
    try:
        for path in ("/source?name=a.slang", "/source?name=a.png&of=s1"):
            assert Asking(server).refused(path, b"x") == (403, module.NOT_ALLOWED)
        assert files(uploads) == []
        with pytest.raises(ConfigError) as raised:
            uploads.sources.fit("s1", KINDS["shader"])
        assert str(raised.value) == f"start.source: {module.NOT_ALLOWED}"
    finally:
        server.close()
        uploads.close()


@pytest.mark.parametrize("name, of, status, line", [
    ("a.png", "", 415, "a.png: got a file that is no task or material by its name, need one of "
     ".mtlx, .toml, .slang. Leave it out."),
    ("../../a.py", "", 415, "a.py: got a file that is no task or material by its name, need one of "
     ".mtlx, .toml, .slang. Leave it out."),
    ("b.slang", "SET", 415, "b.slang: got a file that is no picture by its name, need one of "
     f"{', '.join(PICTURE_SUFFIXES)}. Leave it out."),
    ("a.png", "s99", 404, "source.of: got 's99', need a set that was begun and kept. Send its "
     "files again."),
    ("RUST.png", "SET", 409, "RUST.png: got a second picture of that name, need each once. Rename "
     "it."),
])  # fmt: skip
def test_what_is_not_let_in(ask, uploads, add, png_file, name, of, status, line):
    key = add("paint.toml", content=STACK)
    add("rust.png", key)
    before = files(uploads)
    query = f"&of={key if of == 'SET' else of}" if of else ""
    assert ask.refused(f"/source?name={name}{query}", png_file(2, 2)) == (status, line)
    assert files(uploads) == before


def test_what_is_no_picture_is_left_out(ask, uploads, add):
    key = add("paint.toml", content=STACK)
    status, line = ask.refused(f"/source?name=rust.png&of={key}", b"no picture")
    assert status == 422 and line.startswith("rust.png: got ")
    assert files(uploads) == ["paint.toml"]


def test_limits(ask, uploads, add, monkeypatch):
    monkeypatch.setattr(module, "MOST_DOCUMENT_BYTES", 10)
    assert ask.refused("/source?name=a.toml", b"x" * 11) == (
        413, "a.toml: got 11 bytes, need 10 at most. Fit it in a terminal.")  # fmt: skip
    assert files(uploads) == []
    key = add("a.toml")
    monkeypatch.setattr(module, "MOST_SET_TEXELS", 20)
    add("one.png", key)
    with pytest.raises(RefusedError, match="got 2 bytes and 32 texels of pictures together"):
        add("two.png", key)
    monkeypatch.setattr(module, "MOST_PICTURES", 1)
    with pytest.raises(RefusedError, match=r"three.png: got more than 1 pictures of a set, need"):
        add("three.png", key, 1, 1)


def test_the_oldest_set_is_forgotten_but_not_the_fitted_one(uploads, add):
    keys = [add(f"{n}.toml", content=STACK) for n in range(MOST_SETS)]
    uploads.sources.fit(keys[0], KINDS["material"])
    with pytest.raises(RefusedError, match="which is fitted, need another set"):
        add("late.png", keys[0])
    add("more.toml")
    assert "0.toml" in files(uploads) and "1.toml" not in files(uploads)
    with pytest.raises(ConfigError) as raised:
        uploads.sources.fit(keys[1], KINDS["material"])
    assert str(raised.value) == (f"start.source: got '{keys[1]}', need one that was uploaded and "
                                 "kept. Send it again.")  # fmt: skip


def test_a_kind_that_takes_no_such_document(uploads, add, same_message):
    with pytest.raises(ConfigError) as raised:
        uploads.sources.fit(add("a.slang"), KINDS["material"])
    same_message(str(raised.value), "start.kind", "Choose")
