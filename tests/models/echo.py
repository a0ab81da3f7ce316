"""A back-end for tests of faults and counts: it answers at once; text and token counts follow from the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from masrepro.models import FREE, Completion, Message, Price, Sampling, Usage


class Echo:
    """Says what it was asked last, and the seed. A word is a token."""

    name = "echo"
    revision = "1"
    context_tokens = 4096
    price: Price | None = FREE

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        text = reply(messages, sampling)
        return Completion(text, "stop", Usage(1, n_tokens(messages), len(text.split())))


def reply(messages: Sequence[Message], sampling: Sampling) -> str:
    """What it says."""
    return f"You asked: {messages[-1].content} Seed: {sampling.seed}.\nAnswer: \\boxed{{{number(messages)}}}"


def number(messages: Sequence[Message]) -> int:
    """A number that follows from the last message: 3 for one without any."""
    digits = "".join(character for character in messages[-1].content if character.isdigit())
    return 3 * int(digits or 1)


def n_tokens(messages: Sequence[Message]) -> int:
    """Words of all messages."""
    return sum(len(message.content.split()) for message in messages)
