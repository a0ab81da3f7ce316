"""What a desk model can do while it is being trained: quick measurements on rows of its own corpus, not results."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Agent, Orchestration
from masrepro.orchestration.turns import Partial, take_turn
from masrepro.runtime.assignment import read_assignment
from masrepro.runtime.briefing import told
from masrepro.runtime.change import changed
from masrepro.runtime.edits import read_change
from masrepro.runtime.state import State
from masrepro.train.desk_corpus import Row, draw_item, draw_rows
from masrepro.train.desk_plans import PLAIN, plan_row
from masrepro.train.desk_recipe import Recipe
from masrepro.train.desk_repairs import Paused, draw_paused
from masrepro.train.desk_staffing import Staffing, draw_staffing
from masrepro.train.desk_talks import Talk, draw_talk

if TYPE_CHECKING:
    from transformers import Lfm2ForCausalLM, PreTrainedTokenizerFast


# Longer replies would take more time to check than to learn from.
_MOST = 8


def accuracy_by_kind(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> dict[str, str]:
    """Share of rows whose answer part comes out right, greedily, by kind and number of operations."""
    right: dict[str, list[bool]] = {}
    by_length = sorted(rows, key=lambda row: len(row.reply))
    for start in range(0, len(rows), 64):
        chunk = by_length[start : start + 64]
        longest = max(map(len, tokenizer([row.reply for row in chunk], add_special_tokens=False)["input_ids"]))
        texts = _drawn(model, tokenizer, chunk, longest + 8, do_sample=False)
        for row, text in zip(chunk, texts, strict=True):
            ok = text.rpartition("Answer:")[2] == row.reply.rpartition("Answer:")[2]
            right.setdefault(f"{row.kind} {min(row.operations, 6)}", []).append(ok)
    return {kind: f"{sum(oks)}/{len(oks)}" for kind, oks in sorted(right.items())}


def checked(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, recipe: Recipe, n_items: int) -> str:
    """One line on what the model can do by now, on rows that do not depend on how far it is."""
    rng = Random(f"desk-check/{recipe.seed}")
    model.eval()
    if recipe.corpus == "solver":
        drawn = (row for _ in range(n_items) for row in draw_rows(rng, draw_item(rng), recipe.notation))
        rows = [row for row in drawn if row.operations <= _MOST]
        found = accuracy_by_kind(model, tokenizer, rows)
    elif recipe.corpus == "sequential":
        found = valid_turns(model, tokenizer, [draw_talk(rng) for _ in range(n_items)], rng)
    else:
        rows = [plan_row(rng, solves_first=recipe.corpus == "thinker") for _ in range(n_items)]
        found = valid_by_size(model, tokenizer, rows)
        if recipe.corpus == "orchestrator":
            found["staffings"] = valid_staffings(model, tokenizer, [draw_staffing(rng) for _ in range(n_items)])
            found["repairs"] = valid_repairs(model, tokenizer, [draw_paused(rng) for _ in range(n_items)])
    model.train()
    return "  ".join(f"{kind}: {share}" for kind, share in found.items())


def valid_by_size(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> dict[str, str]:
    """Share of systems, drawn at temperature 1, that can be parsed and name nothing that the question lacks.

    By number of ``create_agent`` calls in what was written.
    """
    import torch

    valid: dict[int, list[bool]] = {}
    torch.manual_seed(0)
    for start in range(0, len(rows), 64):
        chunk = rows[start : start + 64]
        texts = _drawn(model, tokenizer, chunk, 640, do_sample=True, temperature=1.0, top_k=0)
        for row, text in zip(chunk, texts, strict=True):
            valid.setdefault(text.count("create_agent("), []).append(problem_of(text, row.prompt) is None)
    return {f"{size} agents": f"{sum(oks)}/{len(oks)}" for size, oks in sorted(valid.items())}


def valid_turns(
    model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, talks: Sequence[Talk], rng: Random
) -> dict[str, str]:
    """Share of turns, drawn at temperature 1 somewhere in a conversation, that keep to all rules and name nothing new.

    By number of agents that are there already.
    """
    import torch

    valid: dict[int, list[bool]] = {}
    torch.manual_seed(0)
    places = [rng.randrange(len(talk.turns)) for talk in talks]
    rows = [Row(talk.until(place), "", "turn", 0) for talk, place in zip(talks, places, strict=True)]
    for start in range(0, len(rows), 64):
        texts = _drawn(model, tokenizer, rows[start : start + 64], 128, do_sample=True, temperature=1.0, top_k=0)
        for talk, place, text in zip(talks[start:], places[start:], texts, strict=False):
            valid.setdefault(place, []).append(problem_of_turn(text, talk, place) is None)
    return {f"after {n} agents": f"{sum(oks)}/{len(oks)}" for n, oks in sorted(valid.items())}


def valid_staffings(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, staffings: Sequence[Staffing]) -> str:
    """Share of assignments, drawn at temperature 1, that give each agent a model of the pool."""
    texts = drawn_hot(model, tokenizer, [staffing.prompt for staffing in staffings], 64)
    valid = [problem_of_staffing(text, own) is None for text, own in zip(texts, staffings, strict=True)]
    return f"{sum(valid)}/{len(valid)}"


def valid_repairs(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, paused: Sequence[Paused]) -> str:
    """Share of repairs, drawn at temperature 1, that can be made and name nothing that the rectifier was not told."""
    texts = drawn_hot(model, tokenizer, [own.prompt for own in paused], 320)
    valid = [problem_of_repair(text, own.state) is None for text, own in zip(texts, paused, strict=True)]
    return f"{sum(valid)}/{len(valid)}"


def problem_of_staffing(text: str, staffing: Staffing) -> str | None:
    """The rule that an assignment breaks."""
    try:
        read_assignment(text, [agent.id for agent in staffing.plan.agents], staffing.models)
    except OrchestrationError as error:
        return error.rule
    return None


def problem_of_repair(text: str, state: State) -> str | None:
    """What is wrong with a repair: the rule that it breaks, or a name, model or tool that there is not."""
    try:
        plan = changed(state.plan, read_change(text, catalogue=PLAIN) or ())
    except OrchestrationError as error:
        return error.rule
    if any(agent.backbone and agent.backbone not in state.models for agent in plan.agents):
        return "unknown-backbone"
    if any(tool not in state.tools for agent in plan.agents for tool in agent.tools):
        return "no-such-tool"
    return "unknown name" if any(_is_unknown(agent, told(state)) for agent in _new(plan, state.plan)) else None


def _new(plan: Orchestration, before: Orchestration) -> list[Agent]:
    """The agents whose goal was not in the system before."""
    goals = {agent.goal for agent in before.agents}
    return [agent for agent in plan.agents if agent.goal not in goals]


def problem_of_turn(text: str, talk: Talk, place: int) -> str | None:
    """What is wrong with a turn at a place of a conversation: the rule that it breaks, or a name that is new."""
    built = Partial()
    try:
        for turn in (*talk.turns[:place], text):
            taken = take_turn(turn, built, catalogue=PLAIN)
            if isinstance(taken, Partial):
                built = taken
    except OrchestrationError as error:
        return error.rule
    return "unknown name" if any(_is_unknown(agent, talk.prompt) for agent in built.agents[-1:]) else None


def problem_of(text: str, question: str, dom: DoM = DoM.HIGH) -> str | None:
    """What is wrong with a written system: the rule that it breaks, or a name that the question lacks."""
    try:
        plan = parse(text, dom=dom, catalogue=PLAIN)
    except OrchestrationError as error:
        return error.rule
    return "unknown name" if any(_is_unknown(agent, question) for agent in plan.agents) else None


def _is_unknown(agent: Agent, question: str) -> bool:
    """Whether an agent is to find what the question does not speak of."""
    subject = agent.goal.removeprefix("Find ").removesuffix(".")
    return agent.goal.startswith("Find ") and subject.lower() not in question.lower()


def drawn_hot(
    model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, prompts: Sequence[str], n_new: int, seed: int = 0
) -> list[str]:
    """Replies of up to ``n_new`` tokens at temperature 1, a batch at a time."""
    import torch

    torch.manual_seed(seed)
    rows = [Row(prompt, "", "", 0) for prompt in prompts]
    parts = [rows[start : start + 64] for start in range(0, len(rows), 64)]
    return [
        text
        for part in parts
        for text in _drawn(model, tokenizer, part, n_new, do_sample=True, temperature=1.0, top_k=0)
    ]


def _drawn(
    model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row], n_new: int, **how: object
) -> list[str]:
    """Replies to all rows in one batch."""
    import torch

    prompts = [f"<user>{row.prompt}<assistant>" for row in rows]
    inputs = tokenizer(
        prompts, return_tensors="pt", padding=True, add_special_tokens=False, return_token_type_ids=False
    )
    with torch.inference_mode():
        out = model.generate(**inputs, max_new_tokens=n_new, **how)
    return list(tokenizer.batch_decode(out[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True))
