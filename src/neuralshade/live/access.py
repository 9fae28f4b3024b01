"""Who may ask: names that the page goes by, where requests come from, the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import HTTPConnection

COOKIE = "neuralshade_token"
LOOPBACK = "127.0.0.1"
ANY = {"0.0.0.0": 4, "::": 6}  # hosts that mean all addresses, and of which version these are


@dataclass(frozen=True)
class Access:
    """What a request must show.

    On the loopback only requests that name it are answered: a page of another site whose name
    was made to point here sends its own name. Elsewhere names cannot be known, and a token is
    demanded.
    """

    host: str  # that is listened on
    port: int
    token: str | None  # None: none is demanded

    @classmethod
    def of(cls, host: str, port: int) -> Access:
        """Return the rules for an address that is listened on."""
        return cls(host, port, None if is_loopback(host) else secrets.token_urlsafe(24))

    @property
    def address(self) -> str:
        """Return the address to open, token included."""
        return self.addresses[0]

    @property
    def addresses(self) -> list[str]:
        """Return every address to open, token included: by number, as a phone finds them.

        Of a host that means all addresses these are of the network's interfaces; where there is
        none but the loopback, the machine's name.
        """
        hosts = [self.host]
        if self.host in ANY:
            hosts = _own_addresses(ANY[self.host]) or [_own_name()]
        query = "" if self.token is None else f"?token={self.token}"
        named = (f"[{host}]" if ":" in host else host for host in hosts)
        return [f"http://{host}:{self.port}/{query}" for host in named]

    def refusal(self, asked: HTTPConnection) -> tuple[int, str] | None:
        """Return status and reason where a request is refused, None where it is answered."""
        named = asked.headers.get("host", "")
        if self.token is None and not self._is_own(named):
            return 421, f"got a request for {named[:80]!r}, need this page's own address."
        origin = asked.headers.get("origin")
        if origin is not None and origin not in (f"http://{named}", f"https://{named}"):
            return 403, f"got a request of {origin[:80]!r}, need one of this page."
        site = asked.headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not _opens_page(asked):
            return 403, f"got a request of a {site[:20]!r} page, need one of this page."
        if self.token is not None and not self._has_token(asked):
            return 401, "got no token, need the address that was printed."
        return None

    def _is_own(self, named: str) -> bool:
        return named in {f"{name}:{self.port}" for name in (LOOPBACK, "localhost", "[::1]")}

    def _has_token(self, asked: HTTPConnection) -> bool:
        assert self.token is not None
        bearer = asked.headers.get("authorization", "").removeprefix("Bearer ")
        offered = (asked.query_params.get("token", ""), asked.cookies.get(COOKIE, ""), bearer)
        return any(hmac.compare_digest(t.encode(), self.token.encode()) for t in offered)

    def cookie(self, query: Mapping[str, str]) -> str | None:
        """Return the cookie of a page that is answered and named the token, None of others."""
        if self.token is None or "token" not in query:
            return None
        return f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"


def _opens_page(asked: HTTPConnection) -> bool:
    """Return whether a link elsewhere was followed to the page itself, which costs little.

    Browsers send no Origin with a picture or a link, but say what they want it for.
    """
    wanted = (asked.headers.get("sec-fetch-mode"), asked.headers.get("sec-fetch-dest"))
    return asked.scope.get("path") == "/" and wanted == ("navigate", "document")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_addresses(version: int) -> list[str]:
    """Return the addresses of this machine that others can reach, those of IPv4 or of IPv6."""
    import psutil

    found = []
    for interface in psutil.net_if_addrs().values():
        for each in interface:
            try:
                address = ipaddress.ip_address(each.address)
            except ValueError:  # of hardware, or with a zone, which is link-local
                continue
            if address.version == version and not (address.is_loopback or address.is_link_local):
                found.append(str(address))
    return found


def _own_name() -> str:
    import socket

    return socket.gethostname()
