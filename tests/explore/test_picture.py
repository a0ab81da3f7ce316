"""The README's picture: what its text is, and the file that is kept."""

from pathlib import Path

from masrepro import parse
from masrepro.explore.picture import WRITTEN, picture

ROOT = Path(__file__).parents[2]


def test_the_picture_shows_a_system_that_the_parser_accepts():
    plan = parse(WRITTEN)
    svg = picture()
    assert all(f'data-agent="{agent.id}"' in svg for agent in plan.agents)
    assert svg.count("<title>") >= 1 and 'role="img"' in svg


def test_the_kept_picture_is_the_one_that_is_drawn():
    kept = (ROOT / "notebooks" / "orchestration.svg").read_text(encoding="utf-8")
    assert kept == picture() + "\n", "draw it again: python -m masrepro.explore.picture notebooks/orchestration.svg"
    assert "notebooks/orchestration.svg" in (ROOT / "README.md").read_text(encoding="utf-8")
