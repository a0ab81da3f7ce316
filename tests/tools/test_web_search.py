"""The web search as far as it goes without the web: what the client's answers and errors become."""

from __future__ import annotations

import pytest

from masrepro.tools import tool as protocol
from masrepro.tools.tool import MissingExtra
from masrepro.tools.web_search import WebSearch

ddgs = pytest.importorskip("ddgs", reason="ddgs is not installed")
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException  # noqa: E402

PAGE = {"title": "Old Harbor", "href": "https://site.example/harbor", "body": "Dug in 1874."}


@pytest.fixture
def answering(monkeypatch):
    """Let the client answer so; what it was asked for is in the list that comes back."""

    def answer(pages) -> list[tuple]:
        asked = []

        class Client:
            def __init__(self, **options) -> None:
                asked.append(options)

            def text(self, query, **options):
                asked.append((query, options))
                if isinstance(pages, Exception):
                    raise pages
                return pages

        monkeypatch.setattr(ddgs, "DDGS", Client)
        return asked

    return answer


async def test_pages_are_shown_with_their_addresses(answering):
    asked = answering([PAGE] * 3)
    result = await WebSearch(hits=2).use({"query": " harbor "})
    shown = "[https://site.example/harbor] Old Harbor\nDug in 1874."
    assert (result.text, result.failure) == (f"{shown}\n\n{shown}", None)
    assert asked == [
        {"proxy": None, "timeout": 10},
        ("harbor", {"region": "us-en", "max_results": 2, "backend": "auto"}),
    ]


async def test_nothing_found_is_a_result(answering):
    answering(DDGSException("No results found."))
    assert (await WebSearch().use({"query": "harbor"})).text == "No page was found."


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TimeoutException("operation timed out"), "timeout"),
        (RatelimitException("202"), "refused"),
        (DDGSException("ConnectError"), "unavailable"),
    ],
)
async def test_the_clients_errors_are_failures_with_their_kind(answering, error, kind):
    answering(error)
    assert (await WebSearch().use({"query": "harbor"})).failure.kind == kind


async def test_the_real_client_behind_a_dead_proxy_is_unavailable():
    result = await WebSearch(backend="wikipedia", proxy="http://127.0.0.1:9", timeout_s=5).use({"query": "harbor"})
    assert result.failure.kind in ("unavailable", "timeout")


def test_without_the_client_the_tool_cannot_be_made(monkeypatch):
    monkeypatch.setattr(protocol, "find_spec", lambda library: None)
    with pytest.raises(MissingExtra, match=r"needs ddgs.*masrepro\[web\]"):
        WebSearch()
