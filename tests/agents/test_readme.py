"""The README's sub-agent of one's own: under 20 lines, and it works."""

import re
from pathlib import Path

from masrepro import parse, run_sync
from masrepro.agents import registered_catalogue
from masrepro.agents.registry import _REGISTERED
from masrepro.bench import benchmark
from masrepro.models import Sampling
from masrepro.models.desk import load_desk_model

README = Path(__file__).parents[2] / "README.md"


def test_the_readmes_sub_agent_runs_and_appears_in_schemas(monkeypatch):
    monkeypatch.setattr("masrepro.agents.registry._REGISTERED", dict(_REGISTERED))
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "class Twice" in block]
    assert len(code.splitlines()) < 20
    exec(code, {})
    catalogue = registered_catalogue()
    assert "twice" in str(catalogue.tool_schemas())
    plan = parse('create_agent(id="a1", role="solver", goal="", workflow="twice")', catalogue=catalogue)
    (item,) = benchmark("masbench/depth/2", split="test", n=1)
    result = run_sync(plan, item.question, models=load_desk_model("desk-solver-s"), sampling=Sampling(max_tokens=80))
    assert result.status == "done"
    assert result.usage.calls == 2
