"""Tiny desk models that write one of a few systems at random, whatever the question: where a GRPO test begins."""

from __future__ import annotations

from random import Random

from masrepro.bench import Item
from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.orchestration.briefing import request
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.turns import turns_of
from masrepro.train.desk_plans import PLAIN
from masrepro.train.desk_words import writing_phrases
from masrepro.train.mix import Assignment

NAMES = ("Amber's Crate", "Cedar's Jar", "Robin's Shelf", "Maple's Drawer")
SMALL = Size(width=32, layers=2, heads=2, feed_forward=64)


def toy_assignments(n):
    """Questions of one sentence, so that a step takes no time."""
    facts = [(name, value) for name in NAMES for value in range(2, 9)]
    items = []
    for i in range(n):
        name, value = facts[i % len(facts)]
        question = f"The number of each {name} equals {value}. What is the number of each {name}?"
        items.append(Item(f"toy-{i}", question, f"{value}", "exact_int"))
    return [Assignment("toy", item, DoM.HIGH) for item in items]


def system(n_agents):
    """A chain of that many solvers."""
    agents = tuple(Agent(f"a{k}", "solver", "") for k in range(1, n_agents + 1))
    flows = tuple(Flow(f"a{k}", f"a{k + 1}") for k in range(1, n_agents))
    return Orchestration(agents, flows)


def train_writer(folder, n_steps=40):
    """Save a model there that writes one, two or three agents, each about as often."""
    return _train(folder, n_steps, lambda plan: f"{plan.to('calls')}<end>")


def train_sequencer(folder, n_steps=45):
    """The same turn by turn, by one that is told every time that there is no answer."""

    def talk(plan):
        first, *others = turns_of(plan)
        heard = "<end><user>From a{}: no answer<assistant>{}"
        return first + "".join(heard.format(k, turn) for k, turn in enumerate(others, start=1)) + "<end>"

    return _train(folder, n_steps, talk)


def _train(folder, n_steps, written):
    import torch

    torch.manual_seed(0)
    rng = Random(0)
    tokenizer = new_tokenizer(writing_phrases())
    model = new_model(tokenizer, SMALL, seed=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    given = toy_assignments(28)
    for _ in range(n_steps):
        rows = []
        for one in rng.sample(given, 16):
            asked = request(one.item.question, one.dom, PLAIN)
            rows.append((f"<user>{asked}<assistant>", written(system(rng.randint(1, 3)))))
        encoded = [[tokenizer(part, add_special_tokens=False)["input_ids"] for part in row] for row in rows]
        width = max(len(p) + len(r) for p, r in encoded)
        ids = torch.tensor([p + r + [0] * (width - len(p) - len(r)) for p, r in encoded])
        labels = torch.tensor([[-100] * len(p) + r + [-100] * (width - len(p) - len(r)) for p, r in encoded])
        loss = model(input_ids=ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return float(loss.detach())
