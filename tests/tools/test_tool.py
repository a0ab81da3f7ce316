from __future__ import annotations

import pytest

from masrepro.tools.tool import (
    MissingExtra,
    ToolFailure,
    UseFailed,
    arguments_fault,
    attempt,
    require_extra,
    schema,
)

PARAMETERS = schema(
    {"query": {"type": "string"}},
    {
        "hits": {"type": "integer"},
        "share": {"type": "number"},
        "deep": {"type": "boolean"},
        "names": {"type": "array"},
        "more": {"type": "object"},
    },
)


class Shout:
    """Repeats the query, louder."""

    name = "shout"
    description = "Repeats the query, louder."
    parameters = PARAMETERS

    async def use(self, arguments):
        return await attempt(self, arguments, self._shout)

    async def _shout(self, arguments):
        if arguments["query"] == "quiet":
            raise UseFailed("refused", "not here")
        return arguments["query"].upper() + "!" * (10 // arguments.get("hits", 5))


async def test_a_use_gives_text_and_takes_time():
    result = await Shout().use({"query": "hey"})
    assert (result.tool, result.text, result.failure) == ("shout", "HEY!!", None)
    assert result.seconds >= 0


async def test_a_failure_is_in_the_result_with_its_kind():
    result = await Shout().use({"query": "quiet"})
    assert (result.text, result.failure) == ("", ToolFailure("refused", "not here"))
    assert str(result.failure) == "refused: not here"


async def test_bad_arguments_do_not_reach_the_tool():
    result = await Shout().use({"hits": 1})
    assert result.failure == ToolFailure("bad_arguments", "the argument 'query' is missing")


async def test_a_fault_in_a_program_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        await Shout().use({"query": "hey", "hits": 0})


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"query": ""}, None),
        ({"query": "q", "hits": 3, "share": 0.5, "deep": True, "names": ["a"], "more": {"a": 1}}, None),
        ({"query": "q", "share": 1}, None),
        ({}, "the argument 'query' is missing"),
        ({"query": 4}, "the argument 'query' must be of type string, not int"),
        ({"query": None}, "the argument 'query' must be of type string, not NoneType"),
        ({"query": "q", "hits": "3"}, "the argument 'hits' must be of type integer, not str"),
        ({"query": "q", "hits": True}, "the argument 'hits' must be of type integer, not bool"),
        ({"query": "q", "hits": 3.0}, "the argument 'hits' must be of type integer, not float"),
        (
            {"query": "q", "qeury": "x"},
            "there is no argument 'qeury'; there are: query, hits, share, deep, names, more",
        ),
    ],
)
def test_arguments_are_held_against_the_schema(arguments, fault):
    assert arguments_fault(PARAMETERS, arguments) == fault


def test_a_missing_library_says_how_to_install_it():
    with pytest.raises(MissingExtra, match=r'browser needs nosuchlibrary.*pip install "masrepro\[browser\]"'):
        require_extra("nosuchlibrary", "browser", "browser")
    require_extra("json", "web", "open_page")
