"""Local search on HotpotQA: how often the answer string is in what the tool shows, and what a query costs.

    python tests/bench/bench_search.py CORPUS.jsonl QUESTIONS.jsonl

The corpus has ``title`` and ``text``, the questions HotpotQA's own fields. Answers "yes" and "no" stand in no passage
and are counted apart.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from masrepro.tools.corpus import Corpus
from masrepro.tools.search import Search


async def main(corpus_path: str, questions_path: str) -> None:
    corpus = Corpus.from_jsonl(corpus_path)
    search = Search(corpus)
    began = time.perf_counter()
    await search.use({"query": "warm up"})
    print(f"{len(corpus)} passages, index and first query: {time.perf_counter() - began:.2f} s")
    with open(questions_path, encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    spans = [item for item in items if item["answer"].lower() not in ("yes", "no")]
    print(f"{len(items)} questions, of which {len(items) - len(spans)} are yes or no")
    for name, queries in (("titles of the gold passages", gold_titles), ("the question itself", question)):
        for hits in (1, 5):
            began = time.perf_counter()
            shown = [await seen(search, queries(item), hits) for item in spans]
            n_queries = sum(len(queries(item)) for item in spans)
            ms = 1000 * (time.perf_counter() - began) / n_queries
            n_found = sum(item["answer"].lower() in text.lower() for item, text in zip(spans, shown, strict=True))
            print(f"{name}, {hits} hits: {n_found}/{len(spans)} = {n_found / len(spans):.3f}, {ms:.2f} ms a query")


def gold_titles(item: dict) -> list[str]:
    facts = item["supporting_facts"]
    titles = facts["title"] if isinstance(facts, dict) else [title for title, _ in facts]
    return list(dict.fromkeys(titles))


def question(item: dict) -> list[str]:
    return [item["question"]]


async def seen(search: Search, queries: list[str], hits: int) -> str:
    results = [await search.use({"query": query, "hits": hits}) for query in queries]
    return "\n".join(result.text for result in results)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
