"""live/server: limited in size, named by us, gone with the session."""

import asyncio
import io
import os

import pytest
from starlette.requests import ClientDisconnect, Request

from neuralshade.live import uploads as module
from neuralshade.live.cpu_budget import CpuBudget
from neuralshade.live.uploads import RefusedError, Uploads, plain_name


def request(pieces, declared=None, query=""):
    """Return a request whose body comes in pieces; None among them is a hung-up client."""
    headers = [] if declared is None else [(b"content-length", declared.encode("latin-1"))]
    waiting = list(pieces)

    async def receive():
        piece = waiting.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(waiting)}

    scope = {"type": "http", "method": "POST", "headers": headers, "query_string": query.encode()}
    return Request(scope, receive)


def received(uploads, *arguments, **named):
    return asyncio.run(uploads.receive(request(*arguments, **named), "upload.png", CpuBudget()))


def files(uploads):
    root = uploads._folder.path
    return [os.path.join(at, name) for at, _, names in os.walk(root) for name in names]


def test_what_is_sent_is_kept(uploads):
    path = received(uploads, [b"ab", b"", b"cd"], query="name=photo.png")
    assert path.read_bytes() == b"abcd" and path.name == "photo.png"
    assert uploads.pictures == {}
    key = uploads.keep(path)
    assert uploads.pictures == {key: path}


def test_equal_names_do_not_meet(uploads):
    first = received(uploads, [b"1"], query="name=a.png")
    second = received(uploads, [b"2"], query="name=a.png")
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"2")


def test_uploads_at_once_have_keys_of_their_own(uploads):
    """The second begins before the first is whole."""
    first, second = uploads.path("a.png"), uploads.path("b.png")
    first.write_bytes(b"1")
    second.write_bytes(b"2")
    keys = [uploads.keep(first), uploads.keep(second)]
    assert [uploads.pictures[key] for key in keys] == [first, second]


@pytest.mark.parametrize("declared", ["268435457", "2147483648", "9" * 30, "-1", "1e3", "\xb2"])
def test_a_declared_size_is_refused_unread(uploads, declared):
    with pytest.raises(RefusedError) as caught:
        received(uploads, [AssertionError], declared=declared)
    assert caught.value.status == 413
    assert caught.value.reason == f"got {declared[:20]} bytes, need 268435456 at most."
    assert files(uploads) == []


def test_a_streamed_size_is_refused_on_the_way(uploads, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    pieces = [b"123456"] * 2 + [AssertionError]  # the third is never asked for
    with pytest.raises(RefusedError) as caught:
        received(uploads, pieces)
    assert caught.value.status == 413
    assert caught.value.reason == "got more than 10 bytes, need fewer."
    assert files(uploads) == []
    assert received(uploads, [b"12345", b"67890"]).stat().st_size == 10


def test_a_client_that_hangs_up_leaves_nothing(uploads):
    with pytest.raises(ClientDisconnect):
        received(uploads, [b"123", None])
    assert files(uploads) == []


def test_a_full_disk_is_told(uploads, monkeypatch):
    class Full(io.BytesIO):
        def write(self, piece):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.Path, "open", lambda path, mode: path.touch() or Full())
    with pytest.raises(RefusedError) as caught:
        received(uploads, [b"123"])
    assert caught.value.status == 507
    assert caught.value.reason == "got 'No space left on device', need room for the upload."
    assert files(uploads) == []


@pytest.mark.parametrize("name, plain", [
    ("photo.png", "photo.png"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"),
    ("..\\..\\boot.ini", "boot.ini"), ("C:\\x.png", "x.png"), ("..", "upload"), (".", "upload"),
    ("", "upload"), ("...", "upload"), ("a\x00b.png", "a_b.png"), ("a\nb.png", "a_b.png"),
    (".bashrc", "bashrc"), ("a/b/", "b"), ("<b>x.png", "_b_x.png"), ("my photo (1).png",) * 2,
    ("x" * 300 + ".png", "x" * 76 + ".png"), ("\u202egnp.exe", "_gnp.exe"), ("\xe9.png", "_.png"),
    ('a";x=".png', "a__x__.png"),
])  # fmt: skip
def test_names_are_plain(uploads, name, plain):
    assert plain_name(name) == plain
    path = uploads.path(name)
    path.write_bytes(b"")
    assert path.parent.parent.samefile(uploads._folder.path)


def test_only_so_many_pictures_are_kept(uploads):
    keys = [uploads.keep(received(uploads, [b"x"])) for _ in range(module.MOST_KEPT + 3)]
    assert list(uploads.pictures) == keys[3:]
    assert sorted(files(uploads)) == sorted(map(str, uploads.pictures.values()))


def test_closed_leaves_nothing():
    uploads = Uploads()
    path = uploads.path("a.png")
    path.write_bytes(b"x")
    uploads.close()
    assert not path.exists() and not os.path.exists(uploads._folder.path)


def test_pictures_together_have_a_limit(uploads, monkeypatch):
    monkeypatch.setattr(module, "MOST_KEPT_BYTES", 10)
    keys = [uploads.keep(received(uploads, [b"xxxx"])) for _ in range(4)]
    assert list(uploads.pictures) == keys[2:] and len(files(uploads)) == 2
    large = uploads.keep(received(uploads, [b"x" * 11]))
    assert list(uploads.pictures) == [large]


def test_what_is_refused_leaves_no_folder(uploads, monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 3)
    for _ in range(3):
        with pytest.raises(RefusedError):
            received(uploads, [b"ab", b"cd"])
    assert os.listdir(uploads._folder.path) == []


def test_an_upload_that_comes_too_slowly(uploads, monkeypatch):
    """It sends some, and then no more."""
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.1)
    slow = request([b"abc"])
    first = slow.receive

    async def receive():
        if slow_parts:
            slow_parts.pop()
            return {**await first(), "more_body": True}
        await asyncio.Event().wait()

    slow_parts, slow._receive = [1], receive
    with pytest.raises(RefusedError) as caught:
        asyncio.run(uploads.receive(slow, "upload.png", CpuBudget()))
    assert (caught.value.status, caught.value.reason) == (
        408, "got 3 bytes in 0 s, need more. Send them faster.")  # fmt: skip
    assert files(uploads) == []


def test_only_so_many_arrive_at_once(uploads):
    async def never():
        await asyncio.Event().wait()

    async def several():
        waiting = []
        for _ in range(module.MOST_AT_ONCE):
            one = request([])
            one._receive = never
            waiting.append(asyncio.create_task(uploads.receive(one, "upload.png", CpuBudget())))
            await asyncio.sleep(0)
        with pytest.raises(RefusedError) as caught:
            await uploads.receive(request([b"x"]), "upload.png", CpuBudget())
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return caught.value, await uploads.receive(request([b"x"]), "upload.png", CpuBudget())

    refused, path = asyncio.run(several())
    assert (refused.status, refused.reason, refused.again) == (
        503, "got 4 uploads already, need one to end. Try again.", 10)  # fmt: skip
    assert files(uploads) == [str(path)]
