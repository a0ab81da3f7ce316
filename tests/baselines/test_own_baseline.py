"""The README's benchmark and baseline of one's own: what stands there runs as it stands."""

import ast
import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


async def test_the_readmes_baseline_is_evaluated_on_its_items():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = [block for block in blocks if "class Pair" in block]
    names: dict[str, object] = {}
    # A notebook cell may await where a module may not.
    await eval(compile(code, str(README), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    evaluation = names["evaluation"]
    assert (evaluation.system, evaluation.benchmark) == ("pair", "mine")
    (sample,) = evaluation.samples
    assert sample.usage.calls == 2
