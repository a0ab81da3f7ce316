"""The tool ``browser``: a real browser opens a page, goes through a few steps, and shows what is then to be read.

Each use is a fresh browser without memory, so that agents do not meet in it. Requests to private networks are stopped;
where a redirect leads there, which cannot be stopped, nothing of the page is shown. A name that changes its address
between check and connection is not caught: give the browser to trusted tasks, or a network of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from masrepro.tools.address import Resolve, checked_url, reachable, resolved
from masrepro.tools.tool import Arguments, FailureKind, ToolResult, UseFailed, attempt, require_extra, schema

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request, Route, WebSocketRoute

_STEP = 'a step is {"click": "text on it"}, {"fill": "label", "with": "text"} or {"press": "key"}'


@dataclass(frozen=True, slots=True)
class Browser:
    """Move about a web site.

    Parameters
    ----------
    executable : str or None
        Path of Chromium; None takes the one that ``playwright install chromium`` has fetched.
    page_chars : int
        Characters of the text that are shown.
    timeout_s : float
        Seconds for all of it, the browser's start included.
    step_timeout_s : float
        Seconds in which what a step names must appear.
    most_steps : int
        Steps in one use.
    sandbox : bool
        Chromium's own sandbox, which does not work for root, nor in most containers. Only turn it off where the
        machine may be lost.
    allowed_networks : tuple of str
        Networks such as ``"127.0.0.0/8"`` that may be reached though they are private.
    resolve : callable
        Looks a host name up.

    Raises
    ------
    MissingExtra
        playwright is not installed.
    """

    name: ClassVar[str] = "browser"
    description: ClassVar[str] = f"Opens a page in a browser, takes steps on it and shows its text; {_STEP}."
    parameters: ClassVar[Mapping[str, Any]] = schema(
        {"page": {"type": "string", "description": "address, beginning with http:// or https://"}},
        {"steps": {"type": "array", "items": {"type": "object"}, "description": "what to do there, in order"}},
    )
    executable: str | None = None
    page_chars: int = 10_000
    timeout_s: float = 60.0
    step_timeout_s: float = 10.0
    most_steps: int = 10
    sandbox: bool = True
    allowed_networks: tuple[str, ...] = ()
    resolve: Resolve = resolved

    def __post_init__(self) -> None:
        require_extra("playwright", "browser", self.name)

    async def use(self, arguments: Arguments) -> ToolResult:
        """Address, title and text of the page after the last step."""
        return await attempt(self, arguments, self._visit)

    async def _visit(self, arguments: Arguments) -> str:
        from playwright.async_api import Error, async_playwright
        from playwright.async_api import TimeoutError as PageTimeout

        url = checked_url(arguments["page"].strip())
        steps = [checked_step(step) for step in arguments.get("steps", ())]
        if len(steps) > self.most_steps:
            raise UseFailed("bad_arguments", f"more than {self.most_steps} steps")
        guard = Guard(self.allowed_networks, self.resolve)
        await guard.check(url)
        try:
            async with asyncio.timeout(self.timeout_s), async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=self.executable, chromium_sandbox=self.sandbox, timeout=1000 * self.timeout_s
                )
                try:
                    context = await browser.new_context(service_workers="block", accept_downloads=False)
                    return await self._text_after(context, guard, url, steps)
                finally:
                    await browser.close()
        except (TimeoutError, PageTimeout) as error:
            raise UseFailed("timeout", f"{url}: not done within {self.timeout_s:g} s") from error
        except Error as error:
            await guard.check_redirects()
            raise UseFailed("unavailable", f"{url}: {error.message.splitlines()[0]}") from error

    async def _text_after(self, context: BrowserContext, guard: Guard, url: str, steps: Sequence[Step]) -> str:
        await guard.watch(context)
        context.set_default_timeout(1000 * self.step_timeout_s)
        context.set_default_navigation_timeout(1000 * self.timeout_s)
        page = await context.new_page()
        response = await page.goto(url)
        if response is not None and response.status >= 400:
            kind: FailureKind = "not_found" if response.status in (404, 410) else "unavailable"
            raise UseFailed(kind, f"{url}: HTTP {response.status}")
        for step in steps:
            await taken(page, step)
        await page.wait_for_load_state()
        text = await page.inner_text("body")
        shown = f"[{page.url}] {await page.title()}\n{text[: self.page_chars]}"
        await guard.check_redirects()
        return shown + ("" if len(text) <= self.page_chars else "...")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done on a page: ``click`` what bears a text, ``fill`` a field by its label, or ``press`` a key."""

    kind: str
    on: str
    text: str = ""


@dataclass(slots=True)
class Guard:
    """Keeps a browser away from private networks. Redirects do not pass it; where they led is in ``redirects``."""

    allowed: tuple[str, ...]
    resolve: Resolve
    redirects: list[str] = field(default_factory=list)

    async def watch(self, context: BrowserContext) -> None:
        """Check every request of a context. Web sockets, which are not needed to read a page, are closed."""
        context.on("request", lambda request: self._note(request))
        await context.route("**/*", lambda route: self._route(route))
        await context.route_web_socket("**/*", _close)

    async def check(self, url: str) -> None:
        """Refuse a URL that leads to a private network; raises `UseFailed`."""
        parts = urlsplit(url)
        if parts.scheme in ("http", "https"):
            await reachable(parts.hostname or "", self.allowed, self.resolve)

    async def check_redirects(self) -> None:
        """Refuse everything if any redirect led to a private network."""
        for url in dict.fromkeys(self.redirects):
            await self.check(url)

    def _note(self, request: Request) -> None:
        if request.redirected_from is not None:
            self.redirects.append(request.url)

    async def _route(self, route: Route) -> None:
        try:
            await self.check(route.request.url)
        except UseFailed:
            await route.abort("blockedbyclient")
        else:
            await route.continue_()


def checked_step(step: Any) -> Step:
    """A step as the model wrote it; raises `UseFailed` for anything else."""
    match step:
        case {"click": str() as on, **others} if on and not others:
            return Step("click", on)
        case {"fill": str() as on, "with": str() as text, **others} if on and not others:
            return Step("fill", on, text)
        case {"press": str() as key, **others} if key and not others:
            return Step("press", key)
    raise UseFailed("bad_arguments", f"{step!r} is no step: {_STEP}")


async def taken(page: Page, step: Step) -> None:
    """Take a step; what it names must be on the page."""
    from playwright.async_api import TimeoutError as PageTimeout

    try:
        if step.kind == "press":
            await page.keyboard.press(step.on)
        elif step.kind == "fill":
            await page.get_by_label(step.on).or_(page.get_by_placeholder(step.on)).first.fill(step.text)
        else:
            named = page.get_by_role("link", name=step.on).or_(page.get_by_role("button", name=step.on))
            await named.or_(page.get_by_text(step.on)).first.click()
    except PageTimeout as error:
        raise UseFailed("not_found", f"there is nothing named {step.on!r} to {step.kind} on {page.url}") from error


async def _close(socket: WebSocketRoute) -> None:
    await socket.close()
