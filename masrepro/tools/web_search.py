"""The tool ``search`` for the web, through the metasearch client `ddgs`, which needs no key.

What the web answers changes from day to day: a run that used it cannot be repeated exactly. For numbers that others are
to reproduce, search a local corpus (`masrepro.tools.search`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from masrepro.tools.search import SEARCH_PARAMETERS, checked_query
from masrepro.tools.tool import Arguments, ToolResult, UseFailed, attempt, require_extra


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Search the web.

    Parameters
    ----------
    hits : int
        Pages for a query that does not say how many (paper: 5).
    backend : str
        Search engines by their names in `ddgs`, with commas between; ``"auto"`` lets it choose.
    region : str
        Such as ``"us-en"``.
    timeout_s : int
        Seconds for one engine.
    proxy : str or None
        URL of a proxy.

    Raises
    ------
    MissingExtra
        The client is not installed.
    """

    name: ClassVar[str] = "search"
    description: ClassVar[str] = "Searches the web and shows titles, addresses and excerpts, best first."
    parameters: ClassVar[Mapping[str, Any]] = SEARCH_PARAMETERS
    hits: int = 5
    backend: str = "auto"
    region: str = "us-en"
    timeout_s: int = 10
    proxy: str | None = None

    def __post_init__(self) -> None:
        require_extra("ddgs", "web", "search (WebSearch)")

    async def use(self, arguments: Arguments) -> ToolResult:
        """Pages as ``[address] title`` and an excerpt; no match is a result as well."""
        return await attempt(self, arguments, self._search)

    async def _search(self, arguments: Arguments) -> str:
        query, n = checked_query(arguments, self.hits)
        pages = await asyncio.to_thread(self._pages, query, n)
        if not pages:
            return "No page was found."
        return "\n\n".join(f"[{page['href']}] {page['title']}\n{page['body']}" for page in pages[:n])

    def _pages(self, query: str, n: int) -> list[dict[str, Any]]:
        from ddgs import DDGS
        from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

        try:
            client = DDGS(proxy=self.proxy, timeout=self.timeout_s)
            return client.text(query, region=self.region, max_results=n, backend=self.backend)
        except TimeoutException as error:
            raise UseFailed("timeout", f"no engine replied within {self.timeout_s} s") from error
        except RatelimitException as error:
            raise UseFailed("refused", f"the engines refuse more queries for now: {error}") from error
        except DDGSException as error:
            if "No results found" in str(error):
                return []
            raise UseFailed("unavailable", f"no engine could be reached: {error}") from error
