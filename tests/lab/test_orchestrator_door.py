"""One door for all that write systems: desk models, folders, adapters and servers, and what their writing cost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixture_home import REPOSITORY
from pydantic import ValidationError

from masrepro.bench import Item, benchmark
from masrepro.lab.home import Home
from masrepro.lab.notebook import Run
from masrepro.lab.orchestrator import Orchestrator, adapter_folder, catalogue_with, load_writer, write
from masrepro.lab.params import DomSweepParams
from masrepro.lab.problem import BadInput
from masrepro.lab.run_folder import open_folder
from masrepro.models import Completion, Message, Model, OpenAICompatible, Price, Sampling, Usage
from masrepro.models.desk import folder_of, load_desk_model
from masrepro.models.servers import Server
from masrepro.orchestration import DoM, OrchestrationError

SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096, api_key_env=None)
PLAN = 'create_agent(id="a1", role="solver", goal="", workflow="cot")'


class Writer:
    """Writes a plan, or thoughts and the beginning of one that meets the limit, in turn."""

    name, revision, context_tokens, price = "writer", "r", 4096, None

    async def complete(self, messages: object, sampling: Sampling) -> Completion:
        asked = str(messages)
        long = "ITEM 1" in asked
        text = f"<think>{asked[:5]}</think>\n{PLAN}"
        return Completion(text, "length" if long else "stop", Usage(1, 10, 3, None))


@pytest.fixture
def items() -> list[Item]:
    return [Item(f"i{k}", f"ITEM {k}?", "1", scorer="integers") for k in range(3)]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    home, params = Home(REPOSITORY, tmp_path), DomSweepParams()
    opened = open_folder(tmp_path, "07_dom_sweep", params, "source", provenance=dict)
    run = Run(params, home, opened.folder, opened.lock)
    yield run
    run.close()


def test_a_desk_model_a_folder_and_a_whole_training_are_one_and_the_same() -> None:
    by_name = load_writer(Orchestrator(model="desk-orchestrator"))
    folder = str(folder_of("desk-orchestrator"))
    by_folder = load_writer(Orchestrator(model=folder), name="other")
    trained = load_writer(Orchestrator(model="desk-orchestrator", adapter=folder))
    assert by_name.revision == by_folder.revision == trained.revision
    assert (by_name.name, by_folder.name) == ("orchestrator", "other")
    assert by_name.revision == load_desk_model("desk-orchestrator").revision


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
def test_an_adapter_is_laid_over_its_model(tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(folder_of("desk-orchestrator"), dtype="auto").float()
    adapted = peft.get_peft_model(base, peft.LoraConfig(r=2, target_modules="all-linear", init_lora_weights=False))
    adapted.save_pretrained(tmp_path)
    untrained = load_writer(Orchestrator(model="desk-orchestrator"))
    trained = load_writer(Orchestrator(model="desk-orchestrator", adapter=str(tmp_path)), name="trained")
    assert trained.name == "trained" and trained.revision != untrained.revision


def test_a_served_orchestrator_goes_by_its_own_name_and_price(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = Orchestrator(model="gpt-5", server=SERVER)
    with pytest.raises(BadInput, match=r"^orchestrator\.server: http://127\.0\.0\.1:9/v1: nothing answers"):
        load_writer(chosen)
    monkeypatch.setattr("masrepro.lab.orchestrator.why_not", lambda server, model: None)
    price = Price(1, 2)  # type: ignore[arg-type]
    model: Model = load_writer(chosen, price=price)
    assert isinstance(model, OpenAICompatible) and (model.name, model.price) == ("gpt-5", price)
    assert load_writer(chosen).price is None


def test_what_cannot_be_is_told_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="one of the desk models here: desk-orchestrator"):
        Orchestrator(model="desk-orchestra")
    with pytest.raises(ValidationError, match="leave server out, or serve both as one"):
        Orchestrator(model="gpt-5", adapter="a/folder", server=SERVER)
    with pytest.raises(
        ValidationError, match=r"or one that comes with masrepro: desk-orchestrator-high.* and \d+ more"
    ):
        Orchestrator(model="desk-orchestrator", adapter="desk-orchestrator-hihg")
    with pytest.raises(BadInput, match=r"no adapter '.*': name the model/ of a training"):
        load_writer(Orchestrator(model="desk-orchestrator", adapter=str(tmp_path)))


def test_an_adapter_is_found_by_the_name_of_a_shipped_one_or_its_folder() -> None:
    folder = folder_of("desk-orchestrator")
    assert adapter_folder("desk-orchestrator") == folder == adapter_folder(str(folder))


def test_a_catalogue_is_cut_down_to_what_is_named() -> None:
    plain = catalogue_with(("cot", "debate"), ("search",))
    assert [workflow.name for workflow in plain.workflows] == ["cot", "debate"]
    assert [tool.name for tool in plain.tools] == ["search"]


async def test_what_is_written_is_kept_with_its_cost_and_on_the_runs_record(run: Run, items: list[Item]) -> None:
    sampling = Sampling(0.5, 16, seed=1)
    writing = await write(
        run, Writer(), items, name="LOW/0", dom=DoM.LOW, catalogue=catalogue_with(["cot"]), sampling=sampling
    )
    assert (writing.model, writing.system.name) == ("writer", "LOW/0")
    assert writing.usage == {item.id: Usage(1, 10, 3, None) for item in items}
    assert writing.seconds >= 0
    assert len(writing.system.design(items[0]).agents) == 1  # what it thought before counts for nothing
    with pytest.raises(OrchestrationError) as refused:
        writing.system.design(items[1])
    assert refused.value.rule == "cut-off"


async def test_messages_hold_the_degree_and_what_may_be_used(run: Run) -> None:
    seen: list[Message] = []

    class Listening(Writer):
        async def complete(self, messages: object, sampling: Sampling) -> Completion:
            assert isinstance(messages, tuple)
            seen.extend(messages)
            return await super().complete(messages, sampling)

    items = benchmark("masbench/depth/2", split="test", n=1)
    told = {"dom": DoM.at_most(0), "catalogue": catalogue_with(["cot"])}
    await write(run, Listening(), items, name="0/0", sampling=Sampling(), **told)  # type: ignore[arg-type]
    assert DoM.at_most(0).describe() in seen[1].content and seen[1].content.endswith("Workflows: cot")
