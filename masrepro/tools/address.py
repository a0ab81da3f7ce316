"""Which addresses on the network a tool may reach: public ones, and those networks that its owner allows.

A model chooses the address, and what it reads may have told it which. So a name is resolved here, all that it stands
for is checked, and the caller connects to the checked address and to no other.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from masrepro.tools.tool import UseFailed

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""All addresses of a host name."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


async def resolved(host: str) -> list[str]:
    """What the system's resolver says; raises OSError if it knows no such name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def checked_url(url: str) -> str:
    """The URL, if it is one for http or https without a user name.

    Raises
    ------
    UseFailed
        ``bad_arguments`` or, for another scheme or a user name, ``refused``.
    """
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.scheme and parts.hostname and parts.port != 0)
    except ValueError:
        raise UseFailed("bad_arguments", f"{url!r} is no address of a page") from None
    if parts.scheme not in ("http", "https", ""):
        raise UseFailed("refused", f"{url!r} is no web page: only http and https are read")
    if not is_whole:
        raise UseFailed("bad_arguments", f"{url!r} is no address of a page; it should look like https://host/path")
    if parts.username is not None or parts.password is not None:
        raise UseFailed("refused", "an address with a user name or a password is not read")
    return url


async def reachable(host: str, allowed: Sequence[str], resolve: Resolve = resolved) -> str:
    """An address of the host to connect to.

    Parameters
    ----------
    host : str
        A name or an address.
    allowed : sequence of str
        Networks such as ``"127.0.0.0/8"`` that may be reached though they are not public.
    resolve : callable
        Looks a name up.

    Raises
    ------
    UseFailed
        ``refused``: one of its addresses is not public. ``unavailable``: it has none.
    """
    try:
        addresses = [host] if is_address(host) else list(await resolve(host))
    except OSError as error:
        raise UseFailed("unavailable", f"the host {host!r} is not known ({error.strerror or error})") from error
    if not addresses:
        raise UseFailed("unavailable", f"the host {host!r} has no address")
    for address in addresses:
        check_address(address, host, allowed)
    return addresses[0]


def check_address(address: str, host: str, allowed: Sequence[str]) -> None:
    """Refuse an address that is neither public nor in an allowed network; raises `UseFailed`."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if any(ip in ipaddress.ip_network(network) for network in allowed):
        return
    if not _is_public(ip):
        raise UseFailed("refused", f"the host {host!r} is on a private network ({address}), which may not be reached")


def is_address(host: str) -> bool:
    """Whether a host is written as an address."""
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _is_public(ip: IPAddress) -> bool:
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(inner)
    return ip.is_global and not ip.is_multicast
