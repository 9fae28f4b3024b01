"""live/app: what is served, what is refused, and that strangers break nothing."""

import json
import re

import pytest
from websockets.exceptions import InvalidStatus

from neuralshade.live.access import COOKIE
from neuralshade.live.app import PAGE
from neuralshade.live.guard import POLICY

FOREIGN = {"origin": "http://evil.example"}
TRAVERSALS = [
    "/page/../live/app.py", "/page/..%2flive%2fapp.py", "/page/..%2Flive%2Fapp.py",
    "/page/%2e%2e/live/app.py", "/page/%2e%2e%2flive%2fapp.py", "/page/..%5clive%5capp.py",
    "/page/....//live/app.py", "/page/%252e%252e%252flive%252fapp.py", "/page//etc/passwd",
    "/page/%2fetc%2fpasswd", "/page/..%c0%af..%c0%afetc/passwd", "/page/%00main.js",
    "/page/main.js%00.png", "/page/.", "/page/..", "/page/", "/page/sub/main.js", "/page/MAIN.JS",
    "/page/nothing.js", "/page/" + "a" * 300 + ".js", "/page/" + "a" * 5000 + ".js", "/app.py",
    "/index.html", "/../../../../etc/passwd", "//etc/passwd", "/page/__init__.py",
    "/page/main.js/", "/page/%F0%9F%92%A9.js", "/page/~", "/favicon.ico", "/docs", "/openapi.json",
]  # fmt: skip


def test_the_page_and_its_own_files(ask, checked):
    page = checked(ask("/"))
    assert (page.status, page.body) == (200, (PAGE / "index.html").read_bytes())
    names = [path.name for path in PAGE.iterdir()]
    assert {"main.js", "page.css"} <= set(names)
    for name in names:
        answer = checked(ask(f"/page/{name}"))
        assert (answer.status, answer.body) == (200, (PAGE / name).read_bytes())
    assert ask("/page/main.js").headers["content-type"].startswith("text/javascript")
    assert ask("/page/page.css").headers["content-type"].startswith("text/css")


def test_the_page_has_nothing_that_the_policy_forbids(ask):
    page = ask("/").body.decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://", page)
    assert re.findall(r"<script(?![^>]*src=)", page) == []
    assert "'unsafe" not in POLICY and "*" not in POLICY


def test_nothing_else_is_served(ask, checked):
    for path in TRAVERSALS:
        answer = checked(ask(path))
        assert answer.status in (307, 404), path
        assert b"neuralshade" not in answer.body and b"root:" not in answer.body, path
        if answer.status == 307:  # to the same path less its last slash
            assert answer.headers["location"].startswith(f"http://{ask.host}/"), path


def test_other_methods(ask, checked):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "X"):
        for path in ("/", "/asset", "/page/main.js", "/events"):
            assert checked(ask(path, method=method)).status in (404, 405), (method, path)


def test_the_state_is_hello(ask, channel, checked):
    assert json.loads(checked(ask("/state")).body) == channel.hello()


def test_another_site_and_another_name_are_refused(ask, channel, checked):
    named = f"evil.example:{ask.port}"
    for path, body in (("/", None), ("/state", None), ("/asset", None), ("/asset", b"x"),
                       ("/picture", b"x"), ("/report", None), ("/page/main.js", None),
                       ("/snapshot.png", None), ("/nothing", None)):  # fmt: skip
        assert ask.refused(path, body, **FOREIGN) == (
            403, "got a request of 'http://evil.example', need one of this page.")  # fmt: skip
        assert ask.refused(path, body, host=named) == (
            421, f"got a request for '{named}', need this page's own address.")  # fmt: skip
        checked(ask(path, body, **FOREIGN))
    assert channel.take() == []


@pytest.mark.parametrize("origin", ["http://[", "null", "http://\xff"])
def test_origins_that_make_no_sense(ask, origin):
    assert ask.refused("/", origin=origin)[0] == 403


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "http://["},
                                     {"Origin": "null"}])  # fmt: skip
def test_another_site_has_no_socket(ask, channel, headers):
    with pytest.raises(InvalidStatus) as caught:
        ask.socket(additional_headers=headers)
    assert caught.value.response.status_code == 403
    assert channel.clients == []


def test_another_name_has_no_socket(ask, channel):
    answer = ask("/events", host=f"evil.example:{ask.port}", connection="Upgrade",
                 upgrade="websocket", sec_websocket_version="13",
                 sec_websocket_key="AAAAAAAAAAAAAAAAAAAAAA==")  # fmt: skip
    assert answer.status == 403 and channel.clients == []


def test_the_own_origin_has_a_socket(ask, channel):
    with ask.socket(origin=f"http://{ask.host}") as socket:
        assert json.loads(socket.recv(20)) == channel.hello()


def test_a_public_host_demands_the_token(serve, channel, checked):
    ask = serve("0.0.0.0")
    token = ask.access.token
    for path, body in (("/", None), ("/state", None), ("/asset", b"x"), ("/picture", b"x")):
        answer = checked(ask(path, body))
        assert answer.status == 401 and "set-cookie" not in answer.headers
        line = json.loads(answer.body)["refused"]
        assert line == "got no token, need the address that was printed."
    for query in ("", "?token=wrong", f"?token={token}x"):
        with pytest.raises(InvalidStatus):
            ask.socket(query)
    for asked in ({"path": f"/state?token={token}"}, {"authorization": f"Bearer {token}"},
                  {"cookie": f"a=b; {COOKIE}={token}"}):  # fmt: skip
        assert ask(**{"path": "/state"} | asked).status == 200
    with ask.socket(additional_headers={"Cookie": f"{COOKIE}={token}"}) as socket:
        assert json.loads(socket.recv(20))["type"] == "hello"
    with ask.socket(f"?token={token}") as socket:
        assert json.loads(socket.recv(20))["type"] == "hello"


def test_the_cookie_is_given_for_the_token_alone(serve):
    ask = serve("0.0.0.0")
    token = ask.access.token
    answer = ask(f"/?token={token}")
    assert answer.headers.get_all("set-cookie") == [
        f"{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/"]  # fmt: skip
    for query in ("?token=wrong", "?token=", "?token"):
        answer = ask(f"/{query}")
        assert answer.status == 401 and token not in str(answer.headers)
    answer = ask(f"/?token={token}", **FOREIGN)
    assert answer.status == 403 and "set-cookie" not in answer.headers


def test_a_picture_that_another_site_embeds_is_not_asked_for(ask, channel):
    line = "got a request of a 'cross-site' page, need one of this page."
    for path in ("/report", "/snapshot.png", "/asset"):
        assert ask.refused(path, sec_fetch_site="cross-site", sec_fetch_mode="no-cors",
                           sec_fetch_dest="image") == (403, line)  # fmt: skip
    assert channel.take() == []
