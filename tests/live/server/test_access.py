"""live/access: who is answered, on the loopback and beyond it."""

import re
import socket
from types import SimpleNamespace

import psutil
import pytest
from starlette.requests import HTTPConnection

from neuralshade.live.access import COOKIE, Access, is_loopback

LOCAL = Access.of("127.0.0.1", 8420)
PUBLIC = Access("0.0.0.0", 8420, "secret-token")


def interfaces(*found):
    return {"eth0": [SimpleNamespace(address=address) for address in found]}


@pytest.mark.parametrize("host, seen", [
    ("0.0.0.0", ["http://192.168.1.7:8420/?token=t", "http://10.0.0.2:8420/?token=t"]),
    ("::", ["http://[2001:db8::1]:8420/?token=t"]),
    ("192.168.1.7", ["http://192.168.1.7:8420/?token=t"]),
])  # fmt: skip
def test_addresses_are_those_that_a_phone_can_open(monkeypatch, host, seen):
    found = interfaces("127.0.0.1", "192.168.1.7", "10.0.0.2", "169.254.3.3", "::1", "2001:db8::1",
                       "fe80::1%eth0", "02:42:ac:11:00:02")  # fmt: skip
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: found)
    access = Access(host, 8420, "t")
    assert access.addresses == seen and access.address == seen[0]


def test_a_machine_without_a_network_is_named(monkeypatch):
    monkeypatch.setattr(psutil, "net_if_addrs", lambda: interfaces("127.0.0.1"))
    assert Access("0.0.0.0", 8420, "t").addresses == [
        f"http://{socket.gethostname()}:8420/?token=t"
    ]


def asked(query="", **headers):
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return HTTPConnection({"type": "http", "query_string": query.encode(), "headers": pairs})


def status(access, query="", **headers):
    refused = access.refusal(asked(query, **headers))
    return None if refused is None else refused[0]


@pytest.mark.parametrize("host", ["127.0.0.1:8420", "localhost:8420", "[::1]:8420"])
def test_own_names_are_answered_on_the_loopback(host):
    assert status(LOCAL, host=host) is None
    assert status(LOCAL, host=host, origin=f"http://{host}") is None


@pytest.mark.parametrize("host", ["evil.example:8420", "evil.example", "127.0.0.1", "localhost",
                                  "127.0.0.1:80", "127.0.0.1.evil.example:8420", "",
                                  "127.0.0.1:8420@evil.example", "0.0.0.0:8420"])  # fmt: skip
def test_another_name_is_refused_on_the_loopback(host):
    """A site may have its own name point here; the browser still sends that name."""
    assert status(LOCAL, host=host) == 421
    assert status(LOCAL, host=host, origin=f"http://{host}") == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "http://127.0.0.1:8421",
                                    "http://localhost:8420", "http://127.0.0.1:8420.evil.example",
                                    "http://127.0.0.1:8420@evil.example", "file://",
                                    "http://evil@127.0.0.1:8420", "http://[", "//[x"])  # fmt: skip
@pytest.mark.parametrize("access", [LOCAL, PUBLIC])
def test_another_origin_is_refused(access, origin):
    token = "" if access.token is None else f"token={access.token}"
    assert status(access, token, host="127.0.0.1:8420", origin=origin) == 403


def fetched(site, mode="no-cors", dest="image", path="/report", access=LOCAL):
    named = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest,
             "host": "127.0.0.1:8420"}  # fmt: skip
    pairs = [(name.encode(), value.encode()) for name, value in named.items()]
    query = b"token=secret-token"
    return access.refusal(HTTPConnection({"type": "http", "path": path, "query_string": query,
                                          "headers": pairs}))  # fmt: skip


@pytest.mark.parametrize("access", [LOCAL, PUBLIC])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "new-site", ""])
def test_what_a_page_elsewhere_embeds_is_refused(access, site):
    """Browsers send no Origin with the picture of an <img>."""
    line = f"got a request of a {site!r} page, need one of this page."
    for path in ("/report", "/snapshot.png", "/asset", "/state", "/", "/page/main.js"):
        for mode, dest in (("no-cors", "image"), ("navigate", "iframe"), ("cors", "empty")):
            assert fetched(site, mode, dest, path, access) == (403, line)


def test_a_link_elsewhere_leads_to_the_page_alone():
    assert fetched("cross-site", "navigate", "document", "/") is None
    for path in ("/report", "/snapshot.png", "/asset", "/state", "/page/main.js"):
        assert fetched("cross-site", "navigate", "document", path)[0] == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_what_the_page_asks_for_or_is_typed_is_answered(site):
    assert fetched(site) is None
    assert fetched(site, "navigate", "document") is None


def test_a_public_host_demands_the_token():
    named = {"host": "box.example:8420"}
    assert status(PUBLIC, **named) == 401
    assert status(PUBLIC, "token=secret-token", **named) is None
    assert status(PUBLIC, cookie=f"{COOKIE}=secret-token", **named) is None
    assert status(PUBLIC, authorization="Bearer secret-token", **named) is None


@pytest.mark.parametrize("query, headers", [
    ("token=", {}), ("token=secret", {}), ("token=secret-token2", {}), ("Token=secret-token", {}),
    ("token=%FF%FE", {}), ("", {"cookie": f"{COOKIE}=x"}), ("", {"cookie": "token=secret-token"}),
    ("", {"authorization": "Basic secret-token"}), ("", {"authorization": "Bearer "}),
    ("", {"authorization": "Bearer \xe9"}),
])  # fmt: skip
def test_another_token_is_refused(query, headers):
    assert status(PUBLIC, query, host="box.example:8420", **headers) == 401


def test_the_token_is_long_and_new_each_time():
    first, second = Access.of("0.0.0.0", 1).token, Access.of("0.0.0.0", 1).token
    assert first != second and len(first) >= 32
    assert LOCAL.token is None


@pytest.mark.parametrize("host, local", [
    ("127.0.0.1", True), ("127.5.5.5", True), ("::1", True), ("localhost", True),
    ("0.0.0.0", False), ("::", False), ("", False), ("192.168.1.5", False), ("box", False),
    ("localhost.evil.example", False),
])  # fmt: skip
def test_what_only_this_machine_reaches(host, local):
    assert is_loopback(host) is local
    assert (Access.of(host, 1).token is None) is local


def test_the_address_can_be_opened():
    assert LOCAL.address == "http://127.0.0.1:8420/"
    assert Access.of("::1", 5).address == "http://[::1]:5/"
    assert re.fullmatch(r"http://192\.168\.1\.5:5/\?token=[\w-]{32,}",
                        Access.of("192.168.1.5", 5).address)  # fmt: skip
    assert not PUBLIC.address.startswith("http://0.0.0.0")
