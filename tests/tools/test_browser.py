"""A real Chromium against pages on loopback; skipped where there is none."""

from __future__ import annotations

import os
import shutil

import pytest
from web_site import web_site

from masrepro.tools import tool as protocol
from masrepro.tools.browser import Browser, Step, checked_step
from masrepro.tools.tool import MissingExtra, UseFailed

CHROMIUM = os.environ.get("MASREPRO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def site():
    pytest.importorskip("playwright", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium: install one, or name it in MASREPRO_CHROMIUM")
    with web_site() as server:
        yield server


async def visited(page: str, *steps: dict[str, str], **options):
    options = {"executable": CHROMIUM, "sandbox": os.geteuid() != 0, "allowed_networks": ("127.0.0.1/32",), **options}
    return await Browser(**options).use({"page": page, "steps": list(steps)})


async def test_steps_on_a_page_that_its_script_writes_lead_to_the_next_page(site):
    steps = ({"fill": "Name", "with": "Ada"}, {"click": "Look up"}, {"click": "register 12"})
    result = await visited(f"{site.url}/form", *steps, page_chars=60)
    assert result.failure is None
    assert result.text.startswith(f"[{site.url}/article] Old Harbor\n")
    assert "Old Harbor" in result.text
    assert result.text.endswith("...")


@pytest.mark.parametrize(
    ("path", "steps", "kind"),
    [
        ("/missing", (), "not_found"),
        ("/form", ({"click": "Nowhere"},), "not_found"),
        ("/to/http://127.0.0.2:9/x", (), "refused"),
    ],
)
async def test_what_goes_wrong_has_its_kind(site, path, steps, kind):
    result = await visited(site.url + path, *steps, step_timeout_s=0.2)
    assert (result.failure and result.failure.kind, result.text) == (kind, "")


async def test_a_private_page_is_refused_before_the_browser_starts(site):
    result = await visited(f"{site.url}/form", allowed_networks=(), executable="/no/such/browser")
    assert result.failure.kind == "refused"
    assert "private network" in result.failure.message


async def test_a_browser_that_does_not_start_is_unavailable(site):
    result = await visited(f"{site.url}/form", executable="/no/such/browser")
    assert result.failure.kind == "unavailable"


@pytest.mark.parametrize(
    ("written", "step"),
    [
        ({"click": "Look up"}, Step("click", "Look up")),
        ({"fill": "Name", "with": ""}, Step("fill", "Name")),
        ({"press": "Enter"}, Step("press", "Enter")),
        ({"fill": "Name"}, None),
        ({"click": ""}, None),
        ({"click": "a", "press": "b"}, None),
        ("click", None),
    ],
)
def test_steps_are_checked(written, step):
    if step is not None:
        assert checked_step(written) == step
        return
    with pytest.raises(UseFailed, match="is no step: a step is"):
        checked_step(written)


def test_without_playwright_the_tool_cannot_be_made(monkeypatch):
    monkeypatch.setattr(protocol, "find_spec", lambda library: None)
    with pytest.raises(MissingExtra, match=r"browser needs playwright.*masrepro\[browser\]"):
        Browser()
