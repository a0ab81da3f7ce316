"""What records of each schema mean, and what is said of those that cannot be used."""

import re

import pytest

from masrepro.bench.public.record import BadRecord
from masrepro.bench.public.schemas import SCHEMAS, gpqa

BOX = "\nPlease reason step by step, and put your final answer within \\boxed{}."
PASSAGE = [["Ada", ["Ada is a language. ", " It is old."]], ["Bob", ["Bob builds."]]]
HOTPOT = {"_id": "5a7", "question": "Is Ada old?", "answer": "yes", "context": PASSAGE, "type": "bridge"}
ON_HUB = {"title": ["Ada", "Bob"], "sentences": [["Ada is a language. ", " It is old."], ["Bob builds."]]}
GPQA = {
    "Question": "Which is even?",
    "Correct Answer": "2\n",
    "Incorrect Answer 1": "1",
    "Incorrect Answer 2": "3",
    "Incorrect Answer 3": "5",
    "Record ID": "rec1",
}
HUMANEVAL = {
    "task_id": "HumanEval/0",
    "prompt": "def one():\n    '''Give 1.'''\n",
    "entry_point": "one",
    "canonical_solution": "    return 1\n",
    "test": "def check(candidate):\n    assert candidate() == 1\n",
}
MBPP = {
    "task_id": 11,
    "text": "Write a function that gives 1.",
    "code": "def one():\r\n    return 1",
    "test_setup_code": "import math",
    "test_list": ["assert one() == 1", "assert one() + one() == 2"],
}

MEANINGS = [
    ("aime", {"problem": "A?", "answer": 204}, "A?", "204"),
    ("aime", {"prompt": "A?" + BOX, "answer": "033"}, "A?", "33"),
    ("aime", {"problem": "A?", "answer": r"336^\circ"}, "A?", "336"),
    ("aime", {"problem": "A?", "answer": 0}, "A?", "0"),
    ("gsm8k", {"question": "Q?", "answer": "2*600=<<2*600=1200>>1200\n#### 1,200"}, "Q?", "1200"),
    ("gsm8k", {"question": "Q?", "answer": "#### 3 is a step\n#### -4"}, "Q?", "-4"),
    ("math", {"problem": "P?", "answer": r"\frac12", "solution": r"\boxed{0.5}"}, "P?", r"\frac12"),
    ("math", {"problem": "P?", "solution": r"First \boxed{1}, then \boxed{\frac{1}{2}}."}, "P?", r"\frac{1}{2}"),
    ("math", {"problem": "P?", "answer": 7}, "P?", "7"),
    ("math", {"problem": "P?", "answer": "", "solution": r"\boxed{7}"}, "P?", "7"),
    ("math", {"problem": "P?", "solution": r"It is $x=\boxed 7$. End of $2$ proofs."}, "P?", "7"),
    ("math", {"problem": "P?", "solution": r"It is $\boxed\frac12$."}, "P?", r"\frac12"),
    ("nq_open", {"question": "who", "answer": ["Ann", "Anne"]}, "who", ("Ann", "Anne")),
    ("bamboogle", {"Question": "Who?", "Answer": "Ann"}, "Who?", "Ann"),
    ("bamboogle", {"id": 1, "Question": "Who?", "answer": "Ann"}, "Who?", "Ann"),
    ("browsecomp_plus", {"query_id": 7, "query": "Who?", "answer": "Ann", "gold_docs": []}, "Who?", "Ann"),
    ("hotpotqa_fullwiki", HOTPOT, "Is Ada old?", "yes"),
]


@pytest.mark.parametrize(("schema", "record", "question", "answer"), MEANINGS)
def test_question_and_truth(schema, record, question, answer):
    content = SCHEMAS[schema](record)
    assert (content.question, content.answer) == (question, answer)


@pytest.mark.parametrize("record", [HOTPOT, {**HOTPOT, "context": ON_HUB}], ids=["authors", "hub"])
def test_paragraphs_come_before_the_question_in_their_order(record):
    given = "Ada\nAda is a language. It is old.\n\nBob\nBob builds.\n\nQuestion: Is Ada old?"
    assert SCHEMAS["hotpotqa"](record).question == given


def test_code_is_asked_for_and_the_truth_is_its_tests():
    for schema, record in (("humaneval", HUMANEVAL), ("mbpp", MBPP)):
        content = SCHEMAS[schema](record)
        tests = content.answer[0] if schema == "humaneval" else content.answer
        exec(content.meta["reference"] + "\n" + tests, {})
        with pytest.raises(AssertionError):
            exec("def one():\n    return 2\n" + tests, {})
    assert SCHEMAS["humaneval"](HUMANEVAL).answer[1] == HUMANEVAL["prompt"]
    assert HUMANEVAL["prompt"].rstrip() in SCHEMAS["humaneval"](HUMANEVAL).question
    assert all(test in SCHEMAS["mbpp"](MBPP).question for test in MBPP["test_list"])
    assert SCHEMAS["mbpp"](MBPP).answer.startswith("import math\n")


def test_options_keep_their_order_whatever_the_order_of_the_record():
    turned = {**GPQA, "Incorrect Answer 1": "5", "Incorrect Answer 3": "1"}
    assert gpqa(GPQA) == gpqa(turned) == gpqa(GPQA)
    content = gpqa(GPQA)
    assert f"({content.answer}) 2\n" in content.question
    assert sorted(content.meta["options"]) == ["1", "2", "3", "5"]


def test_right_options_stand_in_every_place():
    letters = [gpqa({**GPQA, "Question": f"Question {number}"}).answer for number in range(400)]
    assert all(60 <= letters.count(letter) <= 140 for letter in "ABCD")


BAD = [
    ("aime", {"problem": "A?"}, "'answer' is missing; the record has problem"),
    ("aime", {"answer": 1}, "'problem' or 'prompt' is missing"),
    ("aime", {"problem": "A?", "answer": 1000}, "0 to 999, not '1000'"),
    ("aime", {"problem": "A?", "answer": -1}, "0 to 999, not '-1'"),
    ("aime", {"problem": "A?", "answer": True}, "'answer' must be text, not true or false"),
    ("aime", {"problem": "A?", "answer": None}, "'answer' must be text, not null"),
    ("aime", {"problem": ["A?"], "answer": 1}, "'problem' must be text, not a list"),
    ("aime", {"problem": "A?", "answer": 2.0}, "'answer' must be text, not a number"),
    ("gsm8k", {"question": "Q?", "answer": "12"}, "'answer' must end in ####"),
    ("gsm8k", {"question": "Q?", "answer": "#### "}, "'answer' must end in #### and a number"),
    ("gsm8k", {"question": " ", "answer": "#### 1"}, "'question' is empty"),
    ("math", {"problem": "P?", "answer": ""}, "'answer' is missing or empty"),
    ("math", {"problem": "P?", "answer": " "}, "'answer' is empty"),
    ("math", {"problem": "P?", "solution": "no box"}, "'solution' has no closed"),
    ("math", {"problem": "P?", "solution": r"\boxed{1"}, "'solution' has no closed"),
    ("math", {"problem": "P?", "solution": r"\boxed{1} and \boxed{ }"}, "'solution' has no closed, filled"),
    ("nq_open", {"question": "who", "answer": []}, "'answer' is empty"),
    ("nq_open", {"question": "who", "answer": ["Ann", ""]}, "'answer' is empty, or holds"),
    ("nq_open", {"question": "who", "answer": "Ann"}, "'answer' must be a list of texts"),
    ("hotpotqa", {**HOTPOT, "context": []}, "'context' must be"),
    ("hotpotqa", {**HOTPOT, "context": [["Ada", "text"]]}, "'context' must be"),
    ("hotpotqa", {**HOTPOT, "context": {"title": ["Ada"], "sentences": []}}, "'context' must be"),
    ("hotpotqa_fullwiki", {"question": "Q?", "answer": "yes"}, "'id' is missing"),
    ("gpqa", {**GPQA, "Incorrect Answer 2": "1"}, "must be four different texts"),
    ("humaneval", {**HUMANEVAL, "test": ""}, "'test' is empty"),
    ("mbpp", {**MBPP, "test_list": []}, "'test_list' is empty"),
    ("mbpp", {**MBPP, "test_setup_code": 3}, "'test_setup_code' must be text"),
]


@pytest.mark.parametrize(("schema", "record", "told"), BAD)
def test_bad_record_is_refused_by_its_key(schema, record, told):
    with pytest.raises(BadRecord, match=re.escape(told)):
        SCHEMAS[schema](record)
