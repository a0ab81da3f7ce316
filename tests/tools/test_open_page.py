from __future__ import annotations

import pytest
from web_site import web_site

from masrepro.tools import tool as protocol
from masrepro.tools.address import checked_url, reachable
from masrepro.tools.open_page import OpenPage
from masrepro.tools.tool import MissingExtra, UseFailed

LOOPBACK = ("127.0.0.1/32",)


@pytest.fixture(scope="module")
def site():
    with web_site() as server:
        yield server


async def opened(page: str, **options):
    return await OpenPage(**{"allowed_networks": LOOPBACK, **options}).use({"page": page})


async def failed(page: str, **options) -> str:
    result = await opened(page, **options)
    assert result.text == ""
    return str(result.failure)


async def test_the_main_text_is_read_without_the_frame(site):
    result = await opened(f" {site.url}/article ")
    assert result.failure is None
    assert result.text.startswith(f"[{site.url}/article] Old Harbor\n")
    assert "dug in 1874 by Ada Brink" in result.text
    assert "Menu" not in result.text and "alert" not in result.text


async def test_text_is_decoded_as_the_server_says(site):
    assert (await opened(f"{site.url}/latin")).text == f"[{site.url}/latin] Café in Málaga"


async def test_a_page_without_a_main_text_gives_what_is_on_it(site):
    assert (await opened(f"{site.url}/bare")).text == f"[{site.url}/bare] (no title)\nHi"
    assert (await opened(f"{site.url}/empty")).text.endswith("/empty] The page is empty.")


async def test_a_long_page_is_cut_in_bytes_and_in_characters(site):
    text = (await opened(f"{site.url}/long", max_bytes=100_000, page_chars=50)).text
    assert text == f"[{site.url}/long] {'x' * 50}...\n(only the first 100000 bytes were read)"


async def test_redirects_are_followed_up_to_a_bound(site):
    result = await opened(f"{site.url}/to//to//article")
    assert result.text.startswith(f"[{site.url}/article]")
    to_itself = f"{site.url}/to/{site.url}/article"
    assert (await opened(to_itself, max_redirects=1)).failure is None
    assert "more than 0 redirects" in await failed(to_itself, max_redirects=0)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/missing", "not_found"),
        ("/status/410", "not_found"),
        ("/status/403", "refused"),
        ("/status/429", "refused"),
        ("/status/500", "unavailable"),
        ("/status/504", "timeout"),
        ("/pdf", "refused"),
        ("/to/ftp://127.0.0.1/x", "refused"),
        ("/to/http://127.0.0.2/x", "refused"),
        ("/to/http://169.254.169.254/latest/meta-data", "refused"),
    ],
)
async def test_what_cannot_be_read_fails_with_its_kind(site, path, kind):
    assert (await failed(site.url + path)).startswith(f"{kind}: ")


async def test_a_page_that_does_not_come_is_a_timeout(site):
    assert await failed(f"{site.url}/stall", timeout_s=0.2) == "timeout: no page within 0.2 s"


async def test_a_server_that_is_not_there_is_unavailable():
    assert (await failed("http://127.0.0.1:9/")).startswith("unavailable: ")


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        ("file:///etc/passwd", "refused"),
        ("FTP://example.org/", "refused"),
        ("javascript:alert(1)", "refused"),
        ("http://user:secret@example.org/", "refused"),
        ("example.org/page", "bad_arguments"),
        ("http://", "bad_arguments"),
        ("http://[::1", "bad_arguments"),
        ("http://host:99999999/", "bad_arguments"),
        ("7", "bad_arguments"),
        ("", "bad_arguments"),
    ],
)
def test_what_is_no_address_of_a_web_page(page, kind):
    with pytest.raises(UseFailed) as failed:
        checked_url(page)
    assert failed.value.failure.kind == kind
    assert "secret" not in str(failed.value)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "172.16.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
async def test_private_addresses_are_refused(host):
    with pytest.raises(UseFailed, match="private network"):
        await reachable(host, ())


@pytest.mark.parametrize("host", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
async def test_public_addresses_are_reachable(host):
    assert await reachable(host, ()) == host


async def resolving(host: str) -> list[str]:
    if host == "nosuch.example":
        raise OSError(-2, "Name or service not known")
    return {"site.example": ["127.0.0.1"], "mixed.example": ["93.184.216.34", "10.0.0.1"]}.get(host, [])


async def test_a_name_is_refused_when_any_of_its_addresses_is_private():
    for host in ("site.example", "mixed.example"):
        with pytest.raises(UseFailed, match="private network"):
            await reachable(host, (), resolving)
    for host in ("nosuch.example", "empty.example"):
        with pytest.raises(UseFailed) as failed:
            await reachable(host, (), resolving)
        assert failed.value.failure.kind == "unavailable"


async def test_the_connection_goes_to_the_address_that_was_checked_under_the_name_that_was_asked(site):
    url = site.url.replace("127.0.0.1", "site.example")
    result = await opened(f"{url}/article", resolve=resolving)
    assert result.text.startswith(f"[{url}/article] Old Harbor")
    assert site.seen[-1] == ("/article", f"site.example:{site.server_port}")
    assert "private network" in await failed(f"{url}/article", resolve=resolving, allowed_networks=())


async def test_a_proxy_gets_the_name_and_an_address_written_out_is_checked_all_the_same(site):
    result = await opened("http://site.example/article", proxy=site.url)
    assert result.failure.kind == "not_found"  # the site is no proxy, but it was asked
    assert site.seen[-1] == ("http://site.example/article", "site.example")
    assert "private network" in await failed("http://10.0.0.1/", proxy=site.url)


def test_without_its_library_the_tool_cannot_be_made(monkeypatch):
    monkeypatch.setattr(protocol, "find_spec", lambda library: None)
    with pytest.raises(MissingExtra, match=r"open_page needs trafilatura.*masrepro\[web\]"):
        OpenPage()
