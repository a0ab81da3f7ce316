r"""Code against tests, as HumanEval and MBPP ask for it: right only if the end of the tests was reached.

A reply is run in the sandbox together with the tests (see `examiner`). Behind the last test, a number that was drawn
for this run is written to a descriptor that the code is not given; leaving early, printing and patching do not produce
it. Code that looks for the examiner inside its own process can still find that number: tests that share a process with
what they test cannot hide from it.

Not here: loading the benchmarks; how often a problem is tried.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib.resources import files
from textwrap import dedent, indent

from masrepro.bench.scoring.boxes import spoken
from masrepro.bench.scoring.examiner import NOT_PYTHON
from masrepro.bench.scoring.outcome import Score, judged, unparsed
from masrepro.tools.isolation import SandboxError
from masrepro.tools.sandbox import Limits, Result, run_code

_FENCE = re.compile(r"^[ \t]*```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)
_DEFINITION = re.compile(r"^[ \t]*(?:async[ ]+)?(?:def|class)[ ]+(\w+)", re.MULTILINE)
_LANGUAGES = frozenset({"", "py", "python", "python3"})


def score_code(prediction: str, gold: Sequence[str], limits: Limits = Limits()) -> Score:
    """Run a reply against tests. Blocks its thread for as long as that takes; `examine` is for code that can await.

    Parameters
    ----------
    prediction : str
        A function, or what follows the prompt, or either in a Markdown fence.
    gold : sequence of str
        Code that raises unless the reply is right; and then, if replies may continue a prompt as HumanEval's do,
        the prompt.
    limits : Limits
        Of the run.

    Returns
    -------
    Score
        ``correct``, ``wrong``, ``unparsed`` (no code), ``limit`` (on time, memory, output or processes) or ``error``
        (the sandbox did not work, which says nothing about the code); ``extracted`` is the code that was run, and
        ``notes`` says why it is not correct.

    Raises
    ------
    ValueError
        The gold answer is neither one text nor two.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, examine(prediction, gold, limits)).result()


async def examine(prediction: str, gold: Sequence[str], limits: Limits = Limits()) -> Score:
    """`score_code` for code that can await."""
    if not 1 <= len(gold) <= 2:
        raise ValueError(f"scorer 'code' needs tests, or tests and a prompt, as gold answer, not {len(gold)} texts")
    tests, prompt = (*gold, "")[:2]
    code, is_marked = extract(prediction, tests)
    if not code.strip():
        return unparsed()
    nonce = secrets.token_hex(16)
    paper = {"programs": readings(code, prompt), "tests": tests, "nonce": nonce}
    examiner = files("masrepro.bench.scoring").joinpath("examiner.py").read_text(encoding="utf-8")
    try:
        result = await run_code(examiner, stdin=json.dumps(paper), limits=limits)
    except SandboxError as error:
        return Score("error", code, 0.0, notes=(str(error),))
    if result.status == "limit":
        return Score("limit", code, 0.0, notes=(result.reason,))
    if result.stdout == NOT_PYTHON and not is_marked:
        return unparsed(code, _why(result))
    right = result.stdout == nonce
    return replace(judged(right, code), notes=() if right else (_why(result),))


async def check_canaries(limits: Limits = Limits()) -> None:
    """Score code that is always right and code that is always wrong: to be run with every batch.

    Raises
    ------
    SandboxError
        One of them came out otherwise: no verdict of the batch can be trusted.
    """
    for value, expected in ((1, "correct"), (0, "wrong")):
        verdict = await examine(f"def canary():\n    return {value}\n", ("assert canary() == 1\n",), limits)
        if verdict.outcome != expected:
            why = f"{verdict.outcome} {' '.join(verdict.notes)}".strip()
            raise SandboxError(f"code that is always {expected} was scored {why}: trust no verdict of this batch")


def extract(reply: str, tests: str) -> tuple[str, bool]:
    """The code of a reply, and whether it is marked as code: by a fence, or by defining what the tests name.

    Of several fenced blocks it is the last that defines what the tests name, else the last.
    """
    text = spoken(reply)
    named = set(re.findall(r"\w+", tests))
    blocks = [block for language, block in _FENCE.findall(text) if language.lower() in _LANGUAGES]
    defining = [block for block in blocks if named.intersection(_DEFINITION.findall(block))]
    chosen = [text, *blocks, *defining][-1]
    return chosen.strip("\r\n"), bool(blocks) or not named.isdisjoint(_DEFINITION.findall(text))


def readings(code: str, prompt: str) -> list[str]:
    """Programs that code may stand for, the likeliest first; the first that compiles is meant.

    A function that follows the prompt replaces the one that the prompt begins. A body may have lost the indentation
    of its first line, or all of it.
    """
    alone = dedent(code)
    if not prompt:
        return [code, alone]
    begun = prompt.rstrip() + "\n"
    bodies = (code, alone, f"    {code}", indent(alone, "    "))
    return [*(f"{begun}{body}\n" for body in bodies), alone]


def _why(result: Result) -> str:
    """The last line that it wrote to standard error, which is the exception's, else how it ended."""
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    return lines[-1][:200] if lines else f"left before the end of the tests: {result.reason or 'exit status 0'}"
