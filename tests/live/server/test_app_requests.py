"""live/app: what is asked of a fit and sent to it, and that it costs neither room nor patience."""

import contextlib
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from neuralshade.errors import ConfigError
from neuralshade.live import app as module
from neuralshade.live.channel import BusyError


def files(uploads):
    return [p for p in Path(uploads._folder.path).rglob("*") if p.is_file()]


def test_an_asset_is_handed_to_the_thread_that_trains(ask, reference_kernel, checked):
    seen = []

    def reply(request):
        given = request.arguments
        seen.append((request.what, given["into_fit"], given["path"].read_bytes()))
        request.answer.set_result({"text": "shown"})

    reference_kernel(reply)
    answer = checked(ask("/asset?name=../x.nsh", b"abc"))
    assert (answer.status, json.loads(answer.body)) == (200, {"text": "shown"})
    assert ask("/asset?name=x.nsh&into=fit", b"de").status == 200
    assert seen == [("load", False, b"abc"), ("load", True, b"de")]


def test_refused_assets_are_not_kept(ask, reference_kernel, uploads):
    reference_kernel(lambda request: request.answer.set_exception(ConfigError("got no asset.")))
    for _ in range(3):
        assert ask.refused("/asset", b"abc") == (409, "got no asset.")
    assert files(uploads) == []


def test_of_assets_that_were_sent_the_last_is_kept(ask, reference_kernel, uploads):
    reference_kernel(lambda request: request.answer.set_result({"text": ""}))
    for content in (b"1", b"2", b"3"):
        ask("/asset?name=a.nsh", content)
        ask("/asset?name=a.nsh&into=fit", content)
    assert [path.read_bytes() for path in files(uploads)] == [b"3"]


def test_an_asset_is_downloaded(ask, reference_kernel, checked):
    reference_kernel(lambda request: request.answer.set_result(('a"\r\nx: y;\xe4.nsh', b"content")))
    answer = checked(ask("/asset"))
    assert (answer.status, answer.body) == (200, b"content")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"a___x_ y__.nsh\"; filename*=UTF-8''a%22%0D%0Ax%3A%20y%3B%C3%A4.nsh"
    )
    assert answer.headers["x"] is None


def test_a_report_runs_its_own_scripts_and_nothing_else(ask, reference_kernel, checked):
    reference_kernel(lambda request: request.answer.set_result(("a.html", b"<p>x")))
    policy = ("default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
              "script-src 'unsafe-inline'; sandbox allow-scripts")  # fmt: skip
    answer = checked(ask("/report"), policy)
    assert (answer.status, answer.body) == (200, b"<p>x")
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("query", ["exposure=x", "exposure=nan", "exposure=33", "gamma=0",
                                   "gamma=inf", "gamma=x", "inputs=0.5,",
                                   "inputs=nan"])  # fmt: skip
def test_a_snapshot_of_a_tone_that_is_none(ask, channel, query):
    assert ask.refused(f"/snapshot.png?{query}")[0] == 400
    assert channel.take() == []


def test_a_snapshot_has_the_tone_asked_for(ask, reference_kernel):
    seen = []
    reference_kernel(lambda r: seen.append(r.arguments) or r.answer.set_result(("a.png", b"x")))
    asked = "/snapshot.png?exposure=-2.5&gamma=2.2&inputs=0.5,2"
    assert ask(asked).headers["content-type"] == "image/png"
    ask("/snapshot.png")
    assert seen == [{"exposure": -2.5, "gamma": 2.2, "inputs": (0.5, 2.0)},
                    {"exposure": 0.0, "gamma": None, "inputs": ()}]  # fmt: skip


def test_a_thread_that_does_not_answer_is_told_of(ask, channel, monkeypatch):
    monkeypatch.setattr(module, "ANSWER_SECONDS", 0.2)
    assert ask.refused("/asset") == (503, "got no answer in 0 s. Try again.")
    (request,) = channel.take()
    assert request.answer.cancelled()  # nobody waits for it any more


def test_one_answer_is_asked_for_at_a_time(ask, channel, monkeypatch):
    """Others wait; more than a few are told when to come again."""
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(ask, "/report") for _ in range(4)]
        until(lambda: any(answer.done() for answer in asked))
        (refused,) = [answer.result() for answer in asked if answer.done()]
        assert refused.status == 503 and refused.headers["retry-after"] == "10"
        line = "got too many requests at once. Try again."
        assert json.loads(refused.body) == {"refused": line}
        for number in range(3):
            requests = []
            until(lambda waiting=requests: waiting.extend(channel.take()) or waiting)
            (request,) = requests
            request.answer.set_result(("a.html", b"%d" % number))
        answered = [answer.result() for answer in asked]
    assert sorted(a.body for a in answered if a.status == 200) == [b"0", b"1", b"2"]


def until(reached):
    end = time.monotonic() + 20
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_a_fit_does_not_pay_for_is_refused_for_a_while(ask, reference_kernel, checked):
    reference_kernel(lambda request: request.answer.set_exception(BusyError("got a fit.", 36.2)))
    answer = checked(ask("/snapshot.png"))
    assert (answer.status, json.loads(answer.body)) == (503, {"refused": "got a fit."})
    assert answer.headers["retry-after"] == "37"


def test_pictures_are_looked_at_and_kept(ask, uploads, png_file, checked):
    answer = checked(ask("/picture?name=my%20photo.png", png_file(5, 3)))
    said = json.loads(answer.body)
    assert said == {"picture": "p1", "name": "my photo.png", "width": 5, "height": 3}
    assert uploads.pictures["p1"].read_bytes() == png_file(5, 3)


@pytest.mark.parametrize("width, height", [(60_000, 60_000), (2**31 - 1, 1), (20_000, 20_000)])
def test_a_picture_that_claims_too_much_is_not_decoded(ask, boast, width, height):
    """Decoded, it would take gigabytes; its file has 1000 bytes of pixels."""
    status, line = ask.refused("/picture?name=big.png", boast(width, height))
    assert status == 422 and line.startswith("big.png: got ")
    assert "neuralshade-" not in line  # the place where it was kept is ours


def test_what_is_no_picture_is_refused_and_forgotten(ask, uploads):
    for content in (b"", b"\x89PNG\r\n\x1a\n", b"GIF89a" + bytes(100), b"x" * 5000, b"\x80\x04."):
        status, line = ask.refused("/picture?name=../../x.png", content)
        assert status == 422 and line.startswith("x.png: ")
    assert uploads.pictures == {} and files(uploads) == []


@pytest.mark.parametrize("path", ["/picture", "/asset"])
def test_an_upload_of_2_gb_is_refused_before_it_comes(ask, channel, path, checked):
    answer = checked(ask(path, b"abc", content_length=str(2**31)))
    assert answer.status == 413 and answer.headers["connection"] == "close"
    assert json.loads(answer.body)["refused"] == (
        "got 2147483648 bytes, need 268435456 at most.")  # fmt: skip
    assert channel.take() == []


@pytest.mark.parametrize("length", ["x", "-5", "1, 2"])
def test_a_length_that_is_none(ask, length):
    # closed before what was sent behind it was read: a refusal, too
    with contextlib.suppress(ConnectionResetError):
        assert ask("/picture", b"abc", content_length=length).status in (400, 413)


def test_an_upload_that_streams_on_is_cut_off(ask, monkeypatch, uploads):
    monkeypatch.setattr("neuralshade.live.uploads.MOST_BYTES", 1000)
    piece = b"200\r\n" + b"x" * 0x200 + b"\r\n"
    answer = ask("/picture", piece * 10 + b"0\r\n\r\n", transfer_encoding="chunked")
    assert answer.status == 413 and files(uploads) == []
