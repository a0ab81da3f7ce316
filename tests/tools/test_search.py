from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

import pytest

from masrepro.tools.corpus import Corpus, CorpusError, Passage
from masrepro.tools.search import OpenPassage, Search

PASSAGES = (
    Passage("p1", "Old Harbor", "The old harbor was dug in 1874 by Ada Brink."),
    Passage("p2", "Ada Brink", "An engineer, born in Velden."),
    Passage("p3", "Mill", "A mill grinds corn near the harbor."),
    Passage("p4", "Mill", "A mill grinds corn near the harbor."),
)


@pytest.fixture(scope="module")
def corpus():
    return Corpus(PASSAGES)


async def shown(tool, **arguments) -> str:
    result = await tool.use(arguments)
    assert result.failure is None, result
    return result.text


async def failed(tool, **arguments) -> str:
    return str((await tool.use(arguments)).failure)


def ids(corpus, query: str, n: int = 5) -> list[str]:
    return [passage.id for passage in corpus.search(query, n)]


def test_passages_come_best_first_and_only_those_that_share_a_word(corpus):
    assert ids(corpus, "Who is Ada Brink?") == ["p2", "p1"]
    assert ids(corpus, "harbor", 1) == ["p1"]
    assert ids(corpus, "quicksilver") == []
    assert ids(corpus, "the of and") == []
    assert ids(corpus, "?!") == []


def test_equal_passages_keep_the_order_of_the_corpus(corpus):
    assert ids(corpus, "corn mill") == ["p3", "p4"]
    assert ids(Corpus(PASSAGES[::-1]), "corn mill") == ["p4", "p3"]


def test_a_single_letter_is_a_word():
    named = Corpus([Passage("b", "Vitamin B", "Grows."), Passage("c", "Vitamin C", "Grows."), Passage("x", "X&Y", "")])
    assert ids(named, "vitamin C", 1) == ["c"]
    assert ids(named, "X&Y") == ["x"]


async def test_a_search_shows_ids_titles_and_the_beginning_of_the_text(corpus):
    text = await shown(Search(corpus, hit_chars=14), query="Ada Brink")
    assert text == "[p2] Ada Brink\nAn engineer, b...\n\n[p1] Old Harbor\nThe old harbor..."


async def test_no_match_is_a_result(corpus):
    assert await shown(Search(corpus), query="quicksilver") == "No passage shares a word with the query."


@pytest.mark.parametrize(("hits", "n"), [(1, 1), (0, 1), (-3, 1), (3, 3), (10**9, 3)])
async def test_the_number_of_hits_is_bounded(corpus, hits, n):
    assert (await shown(Search(corpus), query="harbor", hits=hits)).count("[p") == n


async def test_an_empty_query_is_a_bad_argument(corpus):
    assert await failed(Search(corpus), query=" ") == "bad_arguments: the query is empty"


@pytest.mark.parametrize("page", ["p2", " p2 ", "[p2]"])
async def test_a_passage_is_opened_by_its_id(corpus, page):
    assert await shown(OpenPassage(corpus), page=page) == "[p2] Ada Brink\nAn engineer, born in Velden."
    assert (await shown(OpenPassage(corpus, page_chars=11), page=page)).endswith("An engineer...")


async def test_an_unknown_passage_is_not_found(corpus):
    assert (await failed(OpenPassage(corpus), page="p9")).startswith("not_found: there is no passage 'p9'")


async def test_searches_at_once_build_one_index(monkeypatch):
    import bm25s

    built = []

    class Counted(bm25s.BM25):
        def index(self, *arguments, **named):
            built.append(1)
            return super().index(*arguments, **named)

    monkeypatch.setattr(bm25s, "BM25", Counted)
    search = Search(Corpus(PASSAGES))
    assert built == []
    texts = await asyncio.gather(*(shown(search, query="harbor") for _ in range(8)))
    assert len(set(texts)) == 1
    assert built == [1]


def test_a_file_of_json_lines_is_read(tmp_path):
    path = tmp_path / "corpus.jsonl"
    lines = [{"title": "One", "text": "ü\u2028 first"}, {"id": 7, "title": "Two", "text": "second", "more": 1}]
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n\n", encoding="utf-8")
    assert Corpus.from_jsonl(path).passages == (Passage("1", "One", "ü\u2028 first"), Passage("7", "Two", "second"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "at least one passage"),
        ('{"title": "a", "text": "b"}\n{', "line 2: no JSON"),
        ('{"title": "a"}', "line 1: a passage looks like"),
        ("[]", "line 1: a passage looks like"),
        ('{"id": "x", "title": "a", "text": "b"}\n' * 2, "'x' occurs twice"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused_with_the_line(tmp_path, text, fault):
    path = tmp_path / "corpus.jsonl"
    path.write_text(text)
    with pytest.raises(CorpusError, match=fault):
        Corpus.from_jsonl(path)


def test_a_search_finds_the_same_in_every_process():
    program = (
        "from masrepro.tools.corpus import Corpus, Passage\n"
        "texts = [f'corn harbor word{i % 13} word{i % 5}' for i in range(300)]\n"
        "corpus = Corpus(Passage(str(i), f'Mill {i % 7}', text) for i, text in enumerate(texts))\n"
        "print([passage.id for passage in corpus.search('Mill 3 word4 corn word11', 20)])"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert found.pop().count(",") == 19
