r"""What the records of each public benchmark mean: one function a schema, from a record to its question and truth.

Pure: no files and no scoring. A question is the benchmark's own text; how to reason and how to mark the answer is
the sub-agents' business. Exceptions, because nothing else says what is wanted: the options of multiple choice, and
that code is to be written. The truth of a programming task is a program of tests that runs after the answer;
``meta["reference"]`` is one that passes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256

from masrepro.bench.public.paragraphs import paragraphs
from masrepro.bench.public.record import BadRecord, Content, NoAnswer, Record, number_or_text, text, texts, verbatim
from masrepro.bench.scoring.boxes import boxes

_BOX_REQUEST = re.compile(r"\s*Please reason step by step, and put your final answer within \\boxed\{\}\.\s*$")
_DEGREES = re.compile(r"\s*\^\s*\{?\s*\\circ\s*\}?$")
_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_BARE_BOX = re.compile(r"\\boxed\s*([^\s{$][^$]*)\$")


def aime(record: Record) -> Content:
    """``problem`` or ``prompt`` and ``answer``: an integer from 0 to 999, in some copies ``073`` or with a degree sign.

    A request to box the answer, which some copies append, is taken off, so that all copies ask the same question.
    """
    answer = _DEGREES.sub("", number_or_text(record, "answer").strip("$ "))
    if not re.fullmatch("[0-9]{1,3}", answer):
        raise BadRecord(f"'answer' must be an integer from 0 to 999, not {answer!r}")
    return Content(_BOX_REQUEST.sub("", text(record, "problem", "prompt")), str(int(answer)))


def math(record: Record) -> Content:
    r"""``problem``, and the truth in ``answer`` or, where that is missing or empty, in the last box of ``solution``."""
    has_answer = record.get("answer") not in (None, "")
    answer = number_or_text(record, "answer") if has_answer else _last_box(record.get("solution"))
    if not answer:
        raise NoAnswer("'answer' is missing or empty, and 'solution' has no closed, filled \\boxed{} at its end")
    facts = {key: record[key] for key in ("subject", "type", "level", "difficulty", "year") if key in record}
    source_id = text(record, "unique_id") if "unique_id" in record else ""
    return Content(text(record, "problem"), answer, facts, source_id)


def gsm8k(record: Record) -> Content:
    """``question`` and ``answer``, whose truth follows the last ``####``; separators of thousands are taken out."""
    _, mark, after = text(record, "answer").rpartition("####")
    answer = after.strip().replace(",", "").removeprefix("$")
    if not mark or not _NUMBER.fullmatch(answer):
        raise BadRecord("'answer' must end in #### and a number")
    return Content(text(record, "question"), answer)


def nq_open(record: Record) -> Content:
    """``question`` and ``answer``: a list of which each is right."""
    return Content(text(record, "question"), texts(record, "answer"))


def bamboogle(record: Record) -> Content:
    """``Question`` and ``Answer``, in some copies in lower case."""
    return Content(text(record, "Question", "question"), text(record, "Answer", "answer"))


def browsecomp_plus(record: Record) -> Content:
    """``query_id``, ``query`` and ``answer``, decrypted; documents are the search tool's business."""
    return Content(text(record, "query"), text(record, "answer"), {}, number_or_text(record, "query_id"))


def hotpotqa(record: Record) -> Content:
    """The paragraphs of ``context`` in their order, then ``question``; the truth is ``answer``."""
    bare = hotpotqa_fullwiki(record)
    given = "\n\n".join(f"{title}\n{body}" for title, body in paragraphs(record))
    return Content(f"{given}\n\nQuestion: {bare.question}", bare.answer, bare.meta, bare.source_id)


def hotpotqa_fullwiki(record: Record) -> Content:
    """``question`` alone; the truth is ``answer``, which may be yes or no."""
    source_id = number_or_text(record, "_id" if "_id" in record else "id")
    facts = {key: record[key] for key in ("type", "level") if key in record}
    return Content(text(record, "question"), text(record, "answer"), facts, source_id)


def gpqa(record: Record) -> Content:
    """``Question``, ``Correct Answer`` and ``Incorrect Answer 1`` to ``3``; the truth is the letter of the option.

    Options stand in the order of a hash of question and option: it is the item's own, in every run.
    """
    question, right = text(record, "Question"), text(record, "Correct Answer")
    options = [right, *(text(record, f"Incorrect Answer {number}") for number in (1, 2, 3))]
    if len(set(options)) < len(options):
        raise BadRecord("'Correct Answer' and 'Incorrect Answer 1' to '3' must be four different texts")
    ordered = sorted(options, key=lambda option: digest(question, option))
    listed = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCD", ordered, strict=True))
    source_id = text(record, "Record ID") if "Record ID" in record else ""
    return Content(
        f"{question}\n\n{listed}\n\nAnswer with the letter of one option.",
        "ABCD"[ordered.index(right)],
        {"options": ordered},
        source_id,
    )


def humaneval(record: Record) -> Content:
    """``prompt`` to be completed; the truth is ``test``, applied to ``entry_point``, and the prompt it goes on from."""
    prompt, entry_point = verbatim(record, "prompt"), text(record, "entry_point")
    question = (
        "Complete the last function of this Python program. Answer with the whole program, what is given included, "
        f"in one code block.\n\n```python\n{prompt.rstrip()}\n```"
    )
    tests = f"{verbatim(record, 'test').rstrip()}\n\ncheck({entry_point})\n"
    reference = prompt + verbatim(record, "canonical_solution")
    facts = {"prompt": prompt, "entry_point": entry_point, "reference": reference}
    return Content(question, (tests, prompt), facts, text(record, "task_id"))


def mbpp(record: Record) -> Content:
    """``text`` and ``test_list``, which is shown and is the truth; ``test_setup_code``, if any, comes before it."""
    tests = texts(record, "test_list")
    setup = record.get("test_setup_code") or ""
    if not isinstance(setup, str):
        raise BadRecord("'test_setup_code' must be text")
    question = (
        f"{text(record, 'text')} Answer with the whole program in one Python code block. It must pass these tests:"
        "\n\n```python\n" + "\n".join(tests) + "\n```"
    )
    program = "\n".join((*([setup] if setup.strip() else []), *tests, ""))
    return Content(question, program, {"reference": verbatim(record, "code")}, number_or_text(record, "task_id"))


def _last_box(solution: object) -> str:
    """Content of the last box; some of MATH's solutions write it without braces, up to the end of the formula."""
    if not isinstance(solution, str):
        return ""
    braced = boxes(solution)
    return ((braced or _BARE_BOX.findall(solution) or [""])[-1] or "").strip()


def digest(*parts: object) -> str:
    """A hash of JSON-ready parts, the same in every process and on every machine: 16 hexadecimal digits."""
    return sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:16]


SCHEMAS: Mapping[str, Callable[[Record], Content]] = {
    schema.__name__: schema
    for schema in (
        aime,
        math,
        gsm8k,
        nq_open,
        bamboogle,
        browsecomp_plus,
        hotpotqa,
        hotpotqa_fullwiki,
        gpqa,
        humaneval,
        mbpp,
    )
}
"""Readers of records, by the name that cards use."""
