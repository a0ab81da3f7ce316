"""The tool ``open_page`` for the web: the text of one page, without its frame of menus and advertisements.

Only http and https, within bounds on time, size and redirects. Private networks are refused at every hop, and the
connection goes to the very address that was checked (`address`). Not here: pages that need a browser (`browser`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, ClassVar

from masrepro.tools.address import Resolve, check_address, checked_url, is_address, reachable, resolved
from masrepro.tools.tool import Arguments, FailureKind, ToolResult, UseFailed, attempt, require_extra, schema

if TYPE_CHECKING:
    import httpx2

_REDIRECTS = (301, 302, 303, 307, 308)
_STATUS_KINDS: Mapping[int, FailureKind] = {404: "not_found", 410: "not_found", 408: "timeout", 504: "timeout"}
_READABLE = ("text/", "application/xhtml+xml", "application/xml", "application/json")
_HTML = ("text/html", "application/xhtml+xml", "")


@dataclass(frozen=True, slots=True)
class Body:
    """What a server sent, up to the bound on size."""

    url: str
    content_type: str
    charset: str | None
    data: bytes


@dataclass(frozen=True, slots=True)
class OpenPage:
    """Read one page of the web.

    Parameters
    ----------
    page_chars : int
        Characters of its text that are shown (paper: 10,000, and 35,000 for web search).
    timeout_s : float
        Seconds for all of it, redirects included.
    max_bytes : int
        Bytes that are read; the rest of a longer page is left out.
    max_redirects : int
        Hops that are followed.
    allowed_networks : tuple of str
        Networks such as ``"127.0.0.0/8"`` that may be reached though they are private.
    proxy : str or None
        URL of a proxy that looks names up and connects instead; private networks are then its affair, except where an
        address names one outright. None connects directly, whatever the environment says.
    resolve : callable
        Looks a host name up.

    Raises
    ------
    MissingExtra
        The text extractor is not installed.
    """

    name: ClassVar[str] = "open_page"
    description: ClassVar[str] = "Reads the text of one web page that a search has found."
    parameters: ClassVar[Mapping[str, Any]] = schema(
        {"page": {"type": "string", "description": "its address, beginning with http:// or https://"}}
    )
    page_chars: int = 10_000
    timeout_s: float = 20.0
    max_bytes: int = 2_000_000
    max_redirects: int = 5
    allowed_networks: tuple[str, ...] = ()
    proxy: str | None = None
    resolve: Resolve = resolved

    def __post_init__(self) -> None:
        require_extra("trafilatura", "web", self.name)

    async def use(self, arguments: Arguments) -> ToolResult:
        """Title, address and text."""
        return await attempt(self, arguments, self._open)

    async def _open(self, arguments: Arguments) -> str:
        await asyncio.to_thread(import_module, "trafilatura")  # takes its time once, which is not the page's
        try:
            async with asyncio.timeout(self.timeout_s):
                body = await self._fetched(checked_url(arguments["page"].strip()))
                text = await asyncio.to_thread(page_text, body)
        except TimeoutError as error:
            raise UseFailed("timeout", f"no page within {self.timeout_s:g} s") from error
        notes = f"\n(only the first {self.max_bytes} bytes were read)" if len(body.data) == self.max_bytes else ""
        cut = "" if len(text) <= self.page_chars else "..."
        return f"[{body.url}] {text[: self.page_chars]}{cut}{notes}"

    async def _fetched(self, url: str) -> Body:
        import httpx2

        async with httpx2.AsyncClient(
            verify=_tls(), trust_env=False, timeout=self.timeout_s, proxy=self.proxy
        ) as client:
            for _ in range(1 + self.max_redirects):
                try:
                    answer = await self._answer(client, httpx2.URL(url))
                except httpx2.TimeoutException as error:
                    raise UseFailed("timeout", f"{url}: no reply within {self.timeout_s:g} s") from error
                except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
                    raise UseFailed("unavailable", f"{url}: {type(error).__name__}: {error}") from error
                if isinstance(answer, Body):
                    return answer
                url = checked_url(answer)
        raise UseFailed("unavailable", f"{url}: more than {self.max_redirects} redirects")

    async def _answer(self, client: httpx2.AsyncClient, url: httpx2.URL) -> Body | str:
        """The body behind a URL, or the URL to which it redirects."""
        host = url.raw_host.decode("ascii")
        target, named = url, {"Host": url.netloc.decode("ascii")}
        if self.proxy is None:
            target = url.copy_with(host=await reachable(host, self.allowed_networks, self.resolve))
        elif is_address(host):
            check_address(host, host, self.allowed_networks)
        request = client.build_request("GET", target, headers={"User-Agent": "masrepro", **named})
        request.extensions["sni_hostname"] = host
        response = await client.send(request, stream=True)
        try:
            if response.status_code in _REDIRECTS and "location" in response.headers:
                return str(url.join(response.headers["location"]))
            _check_response(response, url)
            return Body(str(url), _content_type(response), response.charset_encoding, await self._read(response))
        finally:
            await response.aclose()

    async def _read(self, response: httpx2.Response) -> bytes:
        data = bytearray()
        async for chunk in response.aiter_bytes():
            data += chunk
            if len(data) >= self.max_bytes:
                break
        return bytes(data[: self.max_bytes])


def page_text(body: Body) -> str:
    """Title and text of a page; of a page without a main text, all words on it."""
    content: str | bytes = body.data
    if body.charset:
        try:
            content = body.data.decode(body.charset, "replace")
        except LookupError:  # no such encoding: the extractor finds out by itself
            content = body.data
    if body.content_type not in _HTML:
        return content if isinstance(content, str) else content.decode("utf-8", "replace")
    if not content.strip():
        return "The page is empty."
    import trafilatura

    title = getattr(trafilatura.extract_metadata(content), "title", None) or "(no title)"
    text = trafilatura.extract(content, include_comments=False) or trafilatura.html2txt(content)
    return f"{title}\n{text.strip() or 'The page holds no text.'}"


def _check_response(response: httpx2.Response, url: httpx2.URL) -> None:
    status = response.status_code
    if status >= 400:
        kind = _STATUS_KINDS.get(status, "unavailable" if status >= 500 else "refused")
        raise UseFailed(kind, f"{url}: HTTP {status}")
    content_type = _content_type(response)
    if content_type and not content_type.startswith(_READABLE):
        raise UseFailed("refused", f"{url} is {content_type}, of which this tool reads no text")


def _content_type(response: httpx2.Response) -> str:
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()


@cache
def _tls() -> SSLContext:
    import httpx2

    return httpx2.create_ssl_context()
