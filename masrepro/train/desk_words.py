"""The desk models' vocabulary: frequent phrases of their small world as one token each.

MASBench's questions, the prompts that the sub-agents write around them, worked replies, and the ``calls`` notation with
what a meta-agent says about a system. Numbers up to the modulus are one token, others are spelt in digits. Any other
text in ASCII is spelt in characters, so that it comes back unchanged; the models know little about it.
"""

from __future__ import annotations

from masrepro.agents.cot import NO_ANSWER
from masrepro.bench.masbench import needle, text
from masrepro.bench.masbench.graph import MODULUS
from masrepro.bench.masbench.names import all_names
from masrepro.orchestration.dom import DoM
from masrepro.train.desk_replies import NESTED, NUMBERED

GATHER_ONE = "Give the final answer."
GATHER_ALL = "Give the final answers."

_RULES = (
    text.RULES, text.CARRY_RULE, text.NOTE_RULE, text.ONE_ANSWER, text.ALL_ANSWERS, text.ALL_IN_TURN, *needle.FILLER,
)  # fmt: skip
_FACTS = (
    "The number of each ", " equals ", " more than each ", " times as many as each ", "the sum of each ",
    "the difference of each ", " and each ", ", each ", "What is the number of each ", "The code of the ",
    "What is the code of the ", "Note: ", " is asked for.", "Problem ", "[answer ", "]",
)  # fmt: skip
_PROMPTS = (
    "From a", " (", "): ", "the number of each ", "the code of the ", NO_ANSWER, "Goal: ", "Find the number of each ",
    "Find the code of the ", "Solve Problem ", GATHER_ONE, GATHER_ALL,
)  # fmt: skip
_REPLIES = (" is ", " + ", " - ", " * ", " = ", "Answer: ", "Answer:", "\\boxed{", "}", "For ", " for ", " takes ")
_SYSTEMS = (
    'create_agent(id="a', 'create_agent(id="sink', '", role="solver', '", role="gatherer', '", goal="',
    '", workflow="cot', '", workflow="cot_sc', '", workflow="debate', '", workflow="reflexion',
    '", workflow="deep_research', '", backbone="desk-solver-', 'create_flow(source="a', '", target="a',
    '", target="sink', '", payload="', '")', 'answer(text="', "<think>", "</think>",
    "Degree of MAS: ", *(degree.describe() for degree in (DoM.LOW, DoM.HIGH)), "Create at most ", " agents.", " agent.",
    "Agents: ", "Models: ", "Workflows: ", "cot_sc", "cot", "debate", "reflexion", "deep_research", "System:\n",
    "Done: ", "Failed: ", "Spent: ", 'change_agent(id="a', "nothing to change", "desk-solver-", "xl",
)  # fmt: skip
_MOST_LINES = 99
_CHARACTERS = ("\n\n", "\n", ". ", "? ", ": ", ", ", *map(chr, range(32, 127)))


# One token each, so that few tokens stand between a name and the next: short convolutions then reach from one to the
# other. They come last, so that what a solver has learned keeps its place.
_CALLS = (
    '", role="solver", goal="Find the number of each ', '", role="solver", goal="Find the code of the ',
    '", role="solver", goal="Solve Problem ', '", role="solver", goal="', f'", role="gatherer", goal="{GATHER_ONE}',
    f'", role="gatherer", goal="{GATHER_ALL}', '.", workflow="cot")\ncreate_agent(id="a',
    '", workflow="cot")\ncreate_agent(id="a', '.", workflow="cot")\ncreate_flow(source="a',
    '", workflow="cot")\ncreate_flow(source="a', '.", workflow="cot")', '", workflow="cot")',
    '", payload="the number of each ', '", payload="the code of the ', '", payload="Problem ',
    '")\ncreate_flow(source="a', '")\ncreate_agent(id="a',
)  # fmt: skip
_TURNS = ('answer(text="${a',)
_DEGREES = (DoM.at_most(0).describe(),)

# What the implementer and the rectifier read and write: one token for the choice of a model, and few for what happened.
SOLVERS = ("desk-solver-s", "desk-solver-m", "desk-solver-l", "desk-solver-xl")
PRICES = (
    "0.1 / 0.4", "0.2 / 0.8", "0.4 / 1.6", "0.8 / 3.2", "0.05 / 0.2", "0.3 / 1.2", "0.5 / 2.0", "1.0 / 4.0",
)  # fmt: skip
ELSEWHERE = "The question stands on a page."
PAGE, COPY = "page", "copy"
_TOOLS = (PAGE, COPY, "python")
_STAFFING = (*SOLVERS, *(f" ({price})" for price in PRICES), " / ", *(f"a{number}: " for number in range(1, 11)))
_STATES = (
    *(f'", backbone="{name}' for name in SOLVERS), ', backbone="', *(f'", tools=["{tool}"]' for tool in _TOOLS),
    ELSEWHERE, *_TOOLS, " (tool ", "): tool unavailable: the service is down",
    "): tool bad_arguments: the argument 'code' is missing", "): Unavailable: ", ": call ", " finds nobody there",
    "): MalformedReply: ", ": the reply to call ", " is no completion", "): check: ", " is not ",
    "): check: the answer is ", ", but the last step gives ", " calls, ", " tokens, ", " USD", "cost unknown",
    *(f"0.{zeros}" for zeros in ("00", "000", "0000")), "; ", " US dollars are spent, more than ",
    " tokens are spent, more than ", " is down", "Tools: ", "Changed before: ",
)  # fmt: skip
_REPAIRS = ('")\nchange_agent(id="a', '", goal="Find the number of each ', '", goal="Solve Problem ')


def writing_phrases() -> list[str]:
    """Every phrase that is one token of a desk model that writes systems: those of `phrases` first."""
    return [*phrases(), *_CALLS, *_TURNS, *_DEGREES, *_STAFFING, *_STATES, *_REPAIRS]


def phrases(notation: str = NESTED) -> list[str]:
    """Every phrase that is one token of a desk solver; the numbers of lines come last, where there are any."""
    numbers = (str(number) for number in range(MODULUS))
    keys = (f"{adjective} {noun}" for adjective in needle.ADJECTIVES for noun in needle.NOUNS)
    lines = ("takes ", *(f"[{number}] " for number in range(1, _MOST_LINES + 1))) if notation == NUMBERED else ()
    common = (*numbers, *all_names(), *keys, *_RULES, *_FACTS, *_PROMPTS, *_REPLIES, *_SYSTEMS, *_CHARACTERS)
    return list(dict.fromkeys((*common, *lines)))
