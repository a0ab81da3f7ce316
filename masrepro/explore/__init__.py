"""Views of items, orchestrations and their runs: pure functions that give a static form."""

from masrepro.explore.graph import plan_svg
from masrepro.explore.problem_graph import item_svg
from masrepro.explore.spans import call_rows

__all__ = ["call_rows", "item_svg", "plan_svg"]
