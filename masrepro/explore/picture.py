"""The picture of the README: a system as an orchestrator writes it, and the same text parsed and drawn.

``python -m masrepro.explore.picture notebooks/orchestration.svg`` makes it anew.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from masrepro.explore.drawing import FAINT, LINE, document, said, text_lines
from masrepro.explore.graph import plan_svg
from masrepro.lab.file import write_atomic
from masrepro.orchestration.parse import parse

WRITTEN = """\
create_agent(id="first", role="solver",
    goal="Solve problem 1.", workflow="cot")
create_agent(id="second", role="solver",
    goal="Solve problem 2.", workflow="debate",
    roles=["algebraist", "sceptic"])
create_agent(id="end", role="reporter",
    goal="Give both answers in order.",
    workflow="cot")

create_flow(source="first", target="end",
    payload="the answer to problem 1")
create_flow(source="second", target="end",
    payload="the answer to problem 2")
"""
_TOP, _RIGHT, _MARGIN = 52, 490, 16
_SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_STYLE = re.compile(r' style="[^"]*"')


def picture() -> str:
    """The picture as SVG text."""
    drawn = plan_svg(parse(WRITTEN))
    size = _SIZE.search(drawn)
    assert size is not None
    width, height = map(int, size.groups())
    lines = WRITTEN.splitlines()
    code = (
        f'<g font-family="ui-monospace, monospace" xml:space="preserve">'
        f"{text_lines(_MARGIN, _TOP + LINE, [(line.replace(' ', chr(160)), '') for line in lines])}</g>"
    )
    heads = "".join(
        f'<text x="{x}" y="28" font-weight="bold" fill="{FAINT}">{said(head)}</text>'
        for x, head in ((_MARGIN, "An orchestrator writes"), (_RIGHT, "the parser checks it, the runtime runs it"))
    )
    # The inner picture keeps its own size; as a style it would take the outer one's.
    inner = f'<g transform="translate({_RIGHT - 12}, {_TOP - 12})">{_STYLE.sub("", drawn, count=1)}</g>'
    bottom = max(_TOP + LINE * (len(lines) + 1), _TOP + height)
    return document(_RIGHT + width, bottom, "A multi-agent system as text and as a graph", [heads, code, inner])


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m masrepro.explore.picture", description="Draw the README's picture."
    )
    parser.add_argument("file", type=Path, help="where it is to lie")
    write_atomic(parser.parse_args().file, picture() + "\n")


if __name__ == "__main__":
    _main()
