"""Damaged and hostile texts: each ends in an orchestration or an OrchestrationError, and runs nothing."""

from __future__ import annotations

import random
import re
import sys
import time

import pytest

from masrepro.orchestration import DoM, Orchestration, OrchestrationError, calls, parse

SYSTEM = parse(
    """
create_agent(id="a1", role="reader \u2028", goal="Find {x} & 'y' < \\\\frac{1}{2}.", tools=["search"])
create_agent(id="a2", role="critic", goal="Check ${a1}", workflow="debate", roles=["pro", "con"])
create_agent(id="a3", role="judge", goal="Join ${a1} and ${a2}\\nnow", workflow="reflexion", backbone="small")
create_flow(source="a1", target="a2", payload="the number of each Mill's Crate")
create_flow(source="a1", target="a3")
create_flow(source="a2", target="a3", payload="\u0085 <to>")
"""
)
PLAIN = parse(
    """
create_agent(id="a1", role="", goal="Find {x} & 'y'.", workflow="cot")
create_agent(id="a2", role="critic", goal="Check ${a1}")
create_flow(source="a1", target="a2", payload="a b")
"""
)
SINGLE = parse('create_agent(id="a", role="r", goal="")')
ANSWER = parse('answer(text="42")')
CALLS = [
    SYSTEM.to("calls"),
    "<think>hm</think>\n```python\n" + SYSTEM.to("calls").replace("source=", "from=") + "\n```",
]
XML = [
    SYSTEM.to("xml"),
    SINGLE.to("xml", dom=DoM.LOW),
    ANSWER.to("xml"),
    "<thinking>x</thinking>" + SYSTEM.to("xml"),
]
TOOL_CALLS = [SYSTEM.to("tool_calls"), ANSWER.to("tool_calls")]
SPLICES = {
    "calls": [
        '"', "'", '"""', "\\", "\\N{", "(", ")", "[", "*", "**", ",", "=", "#", "\n", "\r", "\0", "f", ";",
        "é", "from=", "lambda: ", '__import__("os").system("touch pwned")', 'open("pwned", "w")', "\ud800",
        "create_flow(", "  ",
    ],
    "xml": [
        "<", ">", "</", "<agent>", "</agent>", "<edge>", "<from>a1</from>", "<![CDATA[", "]]>", "<answer>",
        "${a1}", "${z}", "<thinking>", "</thinking>", "&", "\ud800", "é", "\n", "\0", "<payload>", "[", '"',
    ],
    "tool_calls": [
        '"', "\\", "{", "}", "[", "]", ",", ":", "null", "NaN", "1e999", "\\ud800", "\n", "é", "true", "-",
    ],
}  # fmt: skip
FORBIDDEN = ("exec", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "open", "socket.connect")


class Watch:
    """Counts audit events of the interpreter that reading a text must never cause, while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.seen: list[str] = []
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        # CPython looks for a file "<unknown>" to quote the faulty line in a SyntaxError of its own.
        if self.on and event in FORBIDDEN and arguments[0] != "<unknown>":
            self.seen.append(f"{event} {arguments!r:.200}")


WATCH = Watch()


def mutant(text: str, splices: list[str], rng: random.Random) -> str:
    """One to three insertions, deletions, replacements, duplications or swaps of spans."""
    for _ in range(rng.randint(1, 3)):
        i = rng.randrange(len(text) + 1)
        j = min(len(text), i + rng.choice((1, 3, 12, 60)))
        k = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:i] + text[j:]
        elif kind == 1:
            text = text[:i] + rng.choice(splices) + text[i:]
        elif kind == 2:
            text = text[:i] + rng.choice(splices) + text[j:]
        elif kind == 3:
            text = text[:k] + text[i:j] + text[k:]
        elif kind == 4:
            text = text[:i] + "".join(rng.sample(text[i:j], j - i)) + text[j:]
        else:
            text = text[:i] + text[i:j] * 2 + text[j:]
    return text


@pytest.mark.parametrize(
    ("notation", "texts", "options", "n"),
    [
        ("calls", CALLS, {}, 6_000),
        ("xml", XML, {}, 6_000),
        ("tool_calls", TOOL_CALLS, {}, 4_000),
        ("xml", XML, {"compat": "paper"}, 4_000),
    ],
    ids=["calls", "xml", "tool_calls", "released"],
)
def test_thousands_of_mutants(notation, texts, options, n, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(2601)
    n_accepted = 0
    rules: dict[str, int] = {}
    for _ in range(n):
        text = mutant(rng.choice(texts), SPLICES[notation], rng)
        dom = rng.choice((DoM.HIGH, DoM.HIGH, DoM.at_most(3), DoM.LOW))
        WATCH.on = True
        try:
            plan = parse(text, notation, dom, **options)
        except OrchestrationError as error:
            rules[error.rule] = rules.get(error.rule, 0) + 1
            assert error.rule and error.where and error.hint and error.what
            assert "line" in error.where or "call" in error.where or error.where == "the whole text"
        else:
            n_accepted += 1
            assert plan.warnings or parse(plan.to(notation), notation, dom) == plan
        finally:
            WATCH.on = False
    assert not WATCH.seen
    assert not list(tmp_path.iterdir())
    assert n_accepted > n // 50 and len(rules) > 6


def verdict(text: str) -> object:
    """The plan, or the rule and the place of the error."""
    try:
        return parse(text)
    except OrchestrationError as error:
        return error.rule, error.where


def test_plain_calls_are_only_read_faster(monkeypatch):
    rng = random.Random(7)
    plain = PLAIN.to("calls")
    texts = [plain, *(mutant(plain, SPLICES["calls"], rng) for _ in range(2_000))]
    fast = [verdict(text) for text in texts]
    monkeypatch.setattr(calls, "_PLAIN_CALL", re.compile("(?!)"))
    assert [verdict(text) for text in texts] == fast
    assert sum(isinstance(outcome, Orchestration) for outcome in fast) > 100


N = 150_000
HOSTILE_CALLS = {
    "minus": "-" * N + "1",
    "not": "not " * N + "x",
    "lambda": "lambda: " * N + "1",
    "sum": 'create_agent(id="a"' + '+"a"' * N + ")",
    "attributes": "create_agent" + ".a" * N + "()",
    "subscripts": "create_agent" + "[0]" * N + "()",
    "calls": "create_agent()" + "()" * N,
    "brackets": "create_agent(id=" + "[" * N,
    "closed brackets": "create_agent(id=" + "[" * 150 + "1 1" + "]" * 150 + ")",
    "conditions": "a if b else " * N + "c",
    "indents": "\n".join(" " * i + "if a:" for i in range(200)),
    "quotes": "'" * N,
    "escaped quotes": "'\\" * N,
    "triple quotes": "'''\\" * N,
    "open triple": '"""' + "\\q" * N,
    "carriage returns": "'''" + "\r" * N,
    "from": "from " * N,
    "thoughts without a head": "x</think>" * (N // 9),
    "thoughts": "<think></think>" * (N // 15),
    "from with signs": "from=" * N,
    "remarks": "# from = \\q\n" * (N // 20),
    "texts": 'create_agent(id="a", role=""' + ' "\\q"' * (N // 8) + ', goal="")',
    "pieces": 'create_agent(id="a", role="""' + ")\ncreate_agent(" * (N // 20) + '", goal="")',
    "arguments": "create_agent(" + 'id="a",' * (N // 8) + ")",
    "digits": "create_agent(id=" + "9" * N + ")",
    "private use": 'create_agent(id="\\q", role="", goal="' + "".join(map(chr, range(0xE000, 0xF900))) + '")',
    "references": 'create_agent(id="a", role="", goal="' + "${" * N + '")',
}
DEBATE = (
    "<agent><agent_id>a</agent_id><agent_name>DebateAgent</agent_name><agent_description></agent_description>"
    "<required_arguments><agent_input></agent_input><debate_roles>ROLES</debate_roles></required_arguments></agent>"
)
HOSTILE_XML = {
    "agents": "<agent>" * N,
    "empty agents": "<agent></agent>" * (N // 15),
    "angles": "<" * N,
    "edges": "<edge>" + "<from>a</from><to>b</to>" * (N // 25),
    "cdata": "<agent><agent_id>" + "<![CDATA[" * N,
    "closed cdata": "<agent><agent_id>" + "<![CDATA[]]>" * (N // 12),
    "thoughts": "<thinking></thinking>" * (N // 20),
    "deep list": DEBATE.replace("ROLES", "[" * N),
    "markers": "assistant " * (N // 10),
    "strange ids": "".join(DEBATE.replace("<agent_id>", f"<agent_id>{chr(0x4E00 + i)}") for i in range(4_000)),
}
HOSTILE_JSON = {
    "brackets": "[" * N,
    "objects": '{"a":' * N,
    "digits": "[" + "9" * N + "]",
    "numbers": "[" + "1," * N + "1]",
    "repeated keys": "[{" + '"a":1,' * N + '"a":1}]',
    "late repeat": "[{" + ",".join(f'"{i}":1' for i in range(N // 10)) + ',"0":1}]',
    "long key": '[{"function":{"name":"create_agent","arguments":{"' + "k" * N + '":1}}}]',
}
HOSTILE = [
    *(("calls", name, text, {}) for name, text in HOSTILE_CALLS.items()),
    *(("xml", name, text, {}) for name, text in HOSTILE_XML.items()),
    *(("xml", f"{name}, released", text, {"compat": "paper"}) for name, text in HOSTILE_XML.items()),
    *(("tool_calls", name, text, {}) for name, text in HOSTILE_JSON.items()),
]


@pytest.mark.parametrize(("notation", "name", "text", "options"), HOSTILE, ids=[f"{h[0]}: {h[1]}" for h in HOSTILE])
def test_hostile_text_ends_soon_and_in_no_other_exception(notation, name, text, options):
    start = time.perf_counter()
    try:
        parse(text[:1_000_000], notation, **options)
    except OrchestrationError as error:
        assert len(str(error)) < 2_000
    assert time.perf_counter() - start < 15
