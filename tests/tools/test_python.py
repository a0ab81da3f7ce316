from __future__ import annotations

import pytest

from masrepro.tools import python
from masrepro.tools.isolation import SandboxError
from masrepro.tools.python import Python
from masrepro.tools.sandbox import Limits

TOOL = Python(isolation="rlimits", limits=Limits(cpu_s=1, wall_s=60, output_bytes=10_000), output_chars=20)


async def used(code: str):
    return await TOOL.use({"code": code})


async def test_what_a_program_prints_is_shown_from_its_beginning():
    result = await used("print(6 * 7)\nprint('x' * 100)")
    assert (result.text, result.failure) == ("42\n" + "x" * 17, None)
    assert (await used("pass")).text == "The program printed nothing."


async def test_a_program_that_fails_is_a_result_with_the_end_of_its_traceback():
    result = await used("print('half')\n1 / 0")
    assert result.failure is None
    assert result.text == "half\n\nThe program failed (exit status 1):\nor: division by zero"


@pytest.mark.parametrize(
    ("code", "reason"),
    [("print('so far', flush=True)\nwhile True: pass", "processor time"), ("print('so far' * 9_000)", "output")],
)
async def test_a_program_beyond_its_limits_is_a_failure_with_what_it_had_printed(code, reason):
    failure = (await used(code)).failure
    assert failure.kind == "limit"
    assert f"limit on {reason}; it had printed:\nso far" in failure.message


async def test_a_sandbox_that_does_not_work_is_unavailable(monkeypatch):
    async def broken(*_, **__):
        raise SandboxError("no process could be started")

    monkeypatch.setattr(python, "run_code", broken)
    failure = (await used("print(1)")).failure
    assert (failure.kind, failure.message) == (
        "unavailable",
        "the sandbox does not work: no process could be started",
    )
