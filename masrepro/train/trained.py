"""A trained orchestrator as a model that can be asked: base and adapter in one, or a whole checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from masrepro.train.grpo import adapting, source_of

if TYPE_CHECKING:
    from masrepro.models.local import Local


def load_orchestrator(
    orchestrator: str,
    trained: Path | None = None,
    *,
    name: str = "orchestrator",
    dtype: str = "float64",
    device: str = "cpu",
    max_batch: int = 128,
) -> Local:
    """The model named by ``orchestrator``, as it is or as a training left it.

    Parameters
    ----------
    orchestrator : str
        A desk model, a folder or a hub id.
    trained : Path, optional
        ``model/`` of a training: an adapter to that model, or all its weights.
    name : str
        By which the model goes.
    dtype, device, max_batch
        As for `masrepro.models.Local`. In double precision a desk model's replies do not depend on their batch.

    Raises
    ------
    FileNotFoundError
        There is neither an adapter nor a model in ``trained``.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from masrepro.models.local import Local

    source = source_of(orchestrator)
    whole, adapter = source, None
    if trained is not None and (trained / "adapter_config.json").exists():
        adapter = trained
    elif trained is not None:
        if not any(trained.glob("*.safetensors")):
            raise FileNotFoundError(f"{trained} holds neither an adapter nor a model; name the model/ of a training")
        whole = str(trained)
    model = AutoModelForCausalLM.from_pretrained(whole, dtype="auto")
    if adapter is not None:
        from peft import PeftModel

        # The sum of base and adapter would be rounded away in the base's bfloat16.
        with adapting():
            model = PeftModel.from_pretrained(model.float(), adapter).merge_and_unload()
    tokenizer = AutoTokenizer.from_pretrained(source)
    return Local(model, tokenizer, name=name, dtype=dtype, device=device, max_batch=max_batch)
