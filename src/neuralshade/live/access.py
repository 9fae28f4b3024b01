"""Access rules of the page: host names, request origins, and the token."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import HTTPConnection

COOKIE = "neuralshade_token"
LOOPBACK = "127.0.0.1"
ANY = {"0.0.0.0": 4, "::": 6}  # hosts that mean all addresses, with their IP version


@dataclass(frozen=True)
class Access:
    """Conditions under which a request is answered.

    On loopback, a request must name loopback as its host: a page of another site whose name
    resolves to this machine sends its own name (DNS rebinding). On other addresses host names
    cannot be known in advance, so a token is required.
    """

    host: str  # the address listened on
    port: int
    token: str | None  # None: not required

    @classmethod
    def of(cls, host: str, port: int) -> Access:
        """Return the access rules for a listening address."""
        return cls(host, port, None if is_loopback(host) else secrets.token_urlsafe(24))

    @property
    def address(self) -> str:
        """Return the address to open, token included."""
        return self.addresses[0]

    @property
    def addresses(self) -> list[str]:
        """Return every address to open, token included; numeric, as other devices need it.

        For a wildcard host these are the addresses of the network interfaces, or the machine's name
        where only loopback is up.
        """
        hosts = [self.host]
        if self.host in ANY:
            hosts = _own_addresses(ANY[self.host]) or [_own_name()]
        query = "" if self.token is None else f"?token={self.token}"
        names = (f"[{host}]" if ":" in host else host for host in hosts)
        return [f"http://{host}:{self.port}/{query}" for host in names]

    def refusal(self, connection: HTTPConnection) -> tuple[int, str] | None:
        """Return status and reason where a request is refused, None where it is answered."""
        host = connection.headers.get("host", "")
        if self.token is None and not self._is_own(host):
            return 421, f"got a request for {host[:80]!r}, need this page's own address."
        origin = connection.headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return 403, f"got a request of {origin[:80]!r}, need one of this page."
        site = connection.headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not _opens_page(connection):
            return 403, f"got a request of a {site[:20]!r} page, need one of this page."
        if self.token is not None and not self._has_token(connection):
            return 401, "got no token, need the address that was printed."
        return None

    def _is_own(self, host: str) -> bool:
        return host in {f"{name}:{self.port}" for name in (LOOPBACK, "localhost", "[::1]")}

    def _has_token(self, connection: HTTPConnection) -> bool:
        assert self.token is not None
        bearer = connection.headers.get("authorization", "").removeprefix("Bearer ")
        offered = (
            connection.query_params.get("token", ""),
            connection.cookies.get(COOKIE, ""),
            bearer,
        )
        return any(hmac.compare_digest(t.encode(), self.token.encode()) for t in offered)

    def cookie(self, query: Mapping[str, str]) -> str | None:
        """Return the cookie to set where the query contains a token, None otherwise."""
        if self.token is None or "token" not in query:
            return None
        return f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"


def _opens_page(connection: HTTPConnection) -> bool:
    """Return whether this is a navigation to the page itself, for example a followed link.

    Browsers send no Origin header with images and links, but do send their purpose.
    """
    purpose = (connection.headers.get("sec-fetch-mode"), connection.headers.get("sec-fetch-dest"))
    return connection.scope.get("path") == "/" and purpose == ("navigate", "document")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _own_addresses(version: int) -> list[str]:
    """Return this machine's addresses that are reachable from outside, of one IP version."""
    import psutil

    found = []
    for interface in psutil.net_if_addrs().values():
        for each in interface:
            try:
                address = ipaddress.ip_address(each.address)
            except ValueError:  # a hardware address, or one with a zone (link-local)
                continue
            if address.version == version and not (address.is_loopback or address.is_link_local):
                found.append(str(address))
    return found


def _own_name() -> str:
    import socket

    return socket.gethostname()
