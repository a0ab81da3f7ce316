"""Where an OpenAI-compatible server is reached, with which key, and how many requests at once.

The key is read from the environment when a connection is made; it is never kept, shown or logged.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from ssl import SSLContext
from urllib.parse import urlsplit

import httpx2
import openai

from masrepro.models.reply import refused

_NO_LIST = (404, 405, 501)
_START = "Start the server, or set base_url to where it is"


@dataclass(slots=True)
class Session:
    """Connections of one event loop, and the places for requests in flight on them."""

    client: openai.AsyncOpenAI
    places: asyncio.Semaphore
    n_users: int = 0


class Endpoint:
    """A server's address.

    Parameters
    ----------
    base_url : str
        Up to and including ``/v1``.
    api_key_env : str or None
        The environment variable that holds the key.
    timeout : httpx2.Timeout or float
        Of connecting and reading, in seconds.
    concurrency : int
        Most requests in flight from one event loop.

    Raises
    ------
    ValueError
        The address or the key cannot be right; says why, without the key.
    """

    def __init__(
        self, base_url: str, api_key_env: str | None, timeout: httpx2.Timeout | float, concurrency: int
    ) -> None:
        self.base_url = _checked_url(base_url)
        self._api_key_env = api_key_env
        self._timeout = timeout
        self._concurrency = concurrency
        self.sessions: dict[asyncio.AbstractEventLoop, Session] = {}
        if not self._key() and api_key_env and not _is_loopback(self.base_url):
            raise ValueError(
                f"no API key for {self.base_url}: set the environment variable {api_key_env}, or name another one in "
                "api_key_env (None for a server that asks for no key); keys never go into params or notebooks"
            )
        if not (self._key().isascii() and self._key().isprintable()):
            raise ValueError(
                f"the environment variable {api_key_env} holds characters that no API key has; set it anew"
            )

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """This event loop's connections, which live as long as anybody on it uses them."""
        loop = asyncio.get_running_loop()
        session = self.sessions.get(loop)
        if session is None:
            session = self.sessions[loop] = Session(self._client(), asyncio.Semaphore(self._concurrency))
        session.n_users += 1
        try:
            yield session
        finally:
            session.n_users -= 1
            if not session.n_users:
                del self.sessions[loop]
                await session.client.close()

    def without_key(self, text: str) -> str:
        """Some servers repeat a wrong key in their reply."""
        key = self._key()
        return text.replace(key, "***") if key else text

    def listed(self) -> frozenset[str] | str:
        """Names of the models that the server lists, asked for at once, without a loop; or why that cannot be had.

        Empty where it keeps no list. What goes wrong is returned, not raised: the library's exceptions hold the key.
        """
        headers = {"Authorization": f"Bearer {self._key()}"} if self._key() else {}
        try:
            with httpx2.Client(
                verify=_tls(), trust_env=not _is_loopback(self.base_url), timeout=self._timeout
            ) as client:
                response = client.get(f"{self.base_url}/models", headers=headers)
        except httpx2.HTTPError as error:
            return f"nothing answers ({type(error).__name__}). {_START}"
        if response.status_code in _NO_LIST:
            return frozenset()
        if not response.is_success:
            failure = refused(response.status_code, None, "", response.headers, datetime.now(UTC))
            return f"{failure.reason}. {failure.advice}"
        try:
            return frozenset(str(model["id"]) for model in response.json()["data"])
        except (ValueError, KeyError, TypeError):
            return "what answers there is no OpenAI-compatible server. Check base_url; it mostly ends in /v1"

    def _client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._key() or "none",
            timeout=self._timeout,
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                verify=_tls(),
                trust_env=not _is_loopback(self.base_url),
                limits=httpx2.Limits(max_keepalive_connections=self._concurrency),
            ),
        )

    def _key(self) -> str:
        return os.environ.get(self._api_key_env, "").strip() if self._api_key_env else ""


@cache
def _tls() -> SSLContext:
    """Made once: reading the certificates takes longer than a request to a server nearby."""
    return httpx2.create_ssl_context()


def _checked_url(base_url: str) -> str:
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"base_url is {base_url!r}; it should look like http://127.0.0.1:8000/v1")
    if parts.username or parts.password:
        raise ValueError("base_url holds a user name or password; put the key into the environment (api_key_env)")
    return base_url.rstrip("/")


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
