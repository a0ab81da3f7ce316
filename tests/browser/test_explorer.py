"""The explorer as a newcomer meets it: opened in a JupyterLab, run, clicked, slid, written into, and looked at.

Screenshots are kept in ``outputs/screenshots/``. Nothing here waits for a fixed time.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra [browser]: pip install playwright")

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "outputs" / "screenshots"
CHROMIUM = os.environ.get("MASREPRO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
NOTEBOOK = "15_explorer"
TOKEN = "explorer-test"
PATIENCE_S = 600
ERROR = "[data-mime-type='application/vnd.jupyter.error']"
# Labels that leave their box; the height of the smallest letters in pixels, in graphs and timelines as they are shown;
# and pictures and widgets that do not fit. Tables of many columns may scroll.
CUT_LABELS = """() => [...document.querySelectorAll('g[data-agent]')].flatMap(agent => {
    const box = agent.querySelector('rect').getBoundingClientRect();
    return [...agent.querySelectorAll('text')].filter(text => {
        const own = text.getBoundingClientRect();
        return own.right > box.right || own.left < box.left || own.bottom > box.bottom;
    }).map(text => text.textContent);
})"""
LETTERS_PX = """() => Math.min(...[...document.querySelectorAll('.masrepro-case svg text')]
    .filter(text => text.getBoundingClientRect().width > 0)
    .map(text => parseFloat(getComputedStyle(text).fontSize)
        * text.ownerSVGElement.getBoundingClientRect().width / text.ownerSVGElement.viewBox.baseVal.width))"""
TOO_WIDE = """() => [...document.querySelectorAll('.jp-RenderedSVG, .jp-OutputArea-output:has(.widget-vbox)')]
    .filter(output => output.scrollWidth > output.clientWidth + 2)
    .map(output => output.textContent.slice(0, 60))"""

pytestmark = [
    pytest.mark.timeout(3 * PATIENCE_S),
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt install chromium, or MASREPRO_CHROMIUM=/path/to/it"),
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A fresh clone, as far as the notebook can see: no runs; the smoke profile, with widgets."""
    folder = tmp_path_factory.mktemp("fresh clone")
    (folder / "notebooks").mkdir()
    notebook = (ROOT / "notebooks" / f"{NOTEBOOK}.ipynb").read_text()
    (folder / "notebooks" / f"{NOTEBOOK}.ipynb").write_text(notebook.replace('\\"desk\\"', '\\"smoke\\"'))
    shutil.copytree(ROOT / "params", folder / "params")
    params = folder / "params" / "smoke" / f"{NOTEBOOK}.yaml"
    params.write_text(params.read_text().replace("interactive: false", "interactive: true"))
    return folder


@pytest.fixture(scope="module")
def lab(home, tmp_path_factory):
    """Address of a JupyterLab over that folder, on loopback, with settings of its own."""
    own = tmp_path_factory.mktemp("jupyter")
    quiet = own / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True)
    quiet.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    folders = {
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        "IPYTHONDIR": "ipython",
    }
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **{name: str(own / f) for name, f in folders.items()}}
    environment.pop("MASREPRO_RUN_DIR", None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = (f"--port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={home}", "--allow-root")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", *options]
    with (own / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        _answer(f"http://127.0.0.1:{port}/api/status?token={TOKEN}", server, own / "log", bool)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(60)


@pytest.fixture(scope="module")
def page(lab):
    """A page that can reach nothing but that server; notes what else it asked for."""
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(
            executable_path=CHROMIUM,
            chromium_sandbox=os.geteuid() != 0,
            timeout=1000 * PATIENCE_S,
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(1000 * PATIENCE_S)
        own = (lab, lab.replace("http", "ws"), "data:", "blob:")
        page.asked = []
        page.on("request", lambda request: None if request.url.startswith(own) else page.asked.append(request.url))
        page.goto(f"{lab}/doc/tree/notebooks/{NOTEBOOK}.ipynb?token={TOKEN}", wait_until="commit")
        yield page
        browser.close()


def _answer(address, process, log, wanted):
    """The JSON behind an address, once it is what is wanted and while the process that serves it lives."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=60) as reply:
            answer = json.load(reply)
            if wanted(answer):
                return answer
        time.sleep(0.2)
    raise AssertionError(f"{address} did not come to it within {PATIENCE_S} s:\n{log.read_text()}")


def shoot(page, name):
    """Keep what is shown."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png")
    print(f"screenshot: {SCREENSHOTS / name}.png")


def pieces(page, width):
    """Scroll through the whole notebook in a window of that width; gives the number of each piece, from 1."""
    page.set_viewport_size({"width": width, "height": 6000})
    notebook = page.locator(".jp-WindowedPanel-outer").first
    top, number = 0, 0
    while top == 0 or top < notebook.evaluate("node => node.scrollHeight") - 1:
        notebook.evaluate("(node, top) => { node.scrollTop = top }", top)
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        top += notebook.evaluate("node => node.clientHeight")
        number += 1
        yield number


def test_the_notebook_runs_and_shows_its_first_graph(page):
    page.locator(".jp-Notebook").wait_for()
    page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    began = time.monotonic()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(f".jp-RenderedSVG, {ERROR}").first.wait_for(state="attached")
    assert page.locator(ERROR).all_inner_texts() == []
    print(f"first graph after {time.monotonic() - began:.1f} s")
    end = page.get_by_text("finished: outputs/")
    end.or_(page.locator(ERROR)).first.wait_for(state="attached")
    assert page.locator(ERROR).all_inner_texts() == []


def test_a_click_on_an_agent_shows_its_card(page):
    view = page.locator(".masrepro-case").first
    view.scroll_into_view_if_needed()
    agent = view.locator("g[data-agent]").first
    name = agent.get_attribute("data-agent")
    agent.click()
    view.locator(f".masrepro-agents button.mod-active:text-is('{name}')").wait_for()
    assert view.locator("th", has_text=name).count()
    assert view.locator("th", has_text="goal").count()


def test_choosing_another_system_shows_it_and_a_rival_stands_beside_it(page):
    choosers = page.locator(".widget-dropdown")
    choosers.filter(has_text="system").locator("select").select_option("single_agent")
    view = page.locator(".masrepro-case").first
    view.locator("th", has_text="single_agent").wait_for()
    assert view.locator("g[data-agent]").count() == 1
    choosers.filter(has_text="beside it").locator("select").select_option(index=1)
    page.get_by_text("Side by side, on the same item").last.wait_for()


def test_the_slider_goes_through_the_training(page):
    slider = page.locator(".widget-hslider").first
    slider.scroll_into_view_if_needed()
    slider.locator(".widget-readout", has_text="0").wait_for()
    later = page.locator(".masrepro-case th", has_text="step 1")
    assert later.count() == 0
    slider.locator(".noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    slider.locator(".widget-readout", has_text="1").wait_for()
    later.wait_for()
    assert later.count() == 1


def test_a_broken_orchestration_is_refused_while_it_is_typed_and_a_whole_one_runs(page):
    box = page.locator(".widget-textarea textarea").first
    box.scroll_into_view_if_needed()
    whole = box.input_value()
    box.fill(whole + '\ncreate_flow(source="nobody", target="')
    box.press_sequentially('a1")')
    verdict = page.locator(".masrepro-editor .verdict")
    verdict.get_by_text("nobody").first.wait_for()
    said = verdict.inner_text()
    assert "rule broken" in said
    assert f"line {len(whole.splitlines()) + 1}" in said
    run = page.get_by_role("button", name="Run it")
    assert run.is_disabled()
    shoot(page, "broken")
    box.fill(whole)
    verdict.get_by_text("valid").wait_for()
    run.click()
    page.get_by_text("Beside what it was").wait_for()
    page.locator("th", has_text="this text").first.wait_for()


@pytest.mark.parametrize(("width", "least_px"), [(1280, 12), (400, 8)])
def test_it_looks_right_on_a_desktop_and_on_a_phone(page, width, least_px):
    """No label cut, nothing wider than its place, letters that can be read."""
    for number in pieces(page, width):
        shoot(page, f"explorer-{width}-{number}")
        assert page.evaluate(CUT_LABELS) == []
        assert page.evaluate(TOO_WIDE) == []
        assert page.evaluate(LETTERS_PX) >= least_px


def test_nothing_was_asked_of_another_server(page):
    assert page.asked == []
