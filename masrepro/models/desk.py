"""Desk models: small LFM2 language models with a word-level tokenizer, shipped with the package.

They are ordinary `transformers` checkpoints that know one small world, MASBench's text and the prompts that
sub-agents write around it. A frequent phrase is one token, spaces included, so that text comes back from tokens
unchanged and questions stay short; other text in ASCII is spelt in characters, and the rest becomes ``<unk>``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from transformers import Lfm2ForCausalLM, PreTrainedTokenizerFast

    from masrepro.models.local import Local

WEIGHTS = Path(__file__).parent / "weights"
CONTEXT_TOKENS = 2048

# Standard deviations of an untrained model. The library's own start, 0.02, is made for wide models: at this width a
# short convolution, which multiplies three small numbers, would begin near zero, and arithmetic would not be learned.
_EMBEDDING_STD = 0.15
_WEIGHT_STD = 0.05
_CONVOLUTION_STD = 0.5
_OUTPUT_STD = 0.03

_SPECIAL = ("<pad>", "<unk>", "<user>", "<assistant>", "<end>")
_CHAT_TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'user' %}<user>{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}"
    "<assistant>{% generation %}{{ message['content'] }}<end>{% endgeneration %}"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)


@dataclass(frozen=True, slots=True)
class Size:
    """Shape of a desk model: embedding width, layers (convolution and attention in turn), heads, feed-forward
    width, and how many tokens a convolution sees, its own included.
    """

    width: int = 128
    layers: int = 4
    heads: int = 2
    feed_forward: int = 384
    reach: int = 4


def shipped() -> list[str]:
    """Names of the desk models that come with the package."""
    return sorted(folder.name for folder in WEIGHTS.iterdir() if (folder / "model.safetensors").is_file())


def shipped_adapters() -> list[Path]:
    """Folders of the adapters that come with the package."""
    return sorted(path.parent for path in WEIGHTS.glob("*/adapter_config.json"))


def folder_of(name: str) -> Path:
    """Where a shipped model lies; or the folder itself, if it is one in which ``desk train`` left a model.

    Raises
    ------
    FileNotFoundError
        No such model comes with the package; lists those that do.
    """
    if (Path(name) / "model.safetensors").is_file():
        return Path(name)
    if name not in shipped():
        raise FileNotFoundError(f"no desk model {name!r} comes with masrepro; there are: {', '.join(shipped())}")
    return WEIGHTS / name


def load_desk_model(name: str, *, max_batch: int = 128, dtype: str = "float64") -> Local:
    """A shipped model behind the `Model` interface, or one that ``desk train`` left in a folder.

    It computes in double precision: a reply is then the same whichever requests share its batch, so that a table comes
    out the same on every run. In ``float32`` it is nearly twice as fast, and a rare reply may differ. From then on
    torch computes on one thread in this process.

    Raises
    ------
    FileNotFoundError
        No such model comes with the package.
    """
    import torch

    from masrepro.models.local import Local

    # On so few numbers two threads spend their time waiting for each other.
    torch.set_num_threads(1)
    return Local(folder_of(name), name=name, dtype=dtype, max_batch=max_batch)


def new_tokenizer(phrases: list[str]) -> PreTrainedTokenizerFast:
    """A tokenizer in which each phrase is one token; longer phrases win over shorter ones.

    A number is a token only as a whole: within a longer one its digits are tokens of their own.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    vocabulary = {token: index for index, token in enumerate((*_SPECIAL, *phrases))}
    longest_first = sorted(phrases, key=len, reverse=True)
    pieces = [rf"(?<!\d){p}(?!\d)" if p.isdigit() and len(p) > 1 else re.escape(p) for p in longest_first]
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("|".join(pieces)), "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        unk_token="<unk>",
        eos_token="<end>",
        additional_special_tokens=["<user>", "<assistant>"],
        padding_side="left",
        model_max_length=CONTEXT_TOKENS,
        clean_up_tokenization_spaces=False,
        chat_template=_CHAT_TEMPLATE,
    )


def new_model(tokenizer: PreTrainedTokenizerFast, size: Size, seed: int) -> Lfm2ForCausalLM:
    """An untrained model for that tokenizer, the same for the same seed."""
    import torch
    from transformers import Lfm2Config, Lfm2ForCausalLM

    torch.manual_seed(seed)
    config = Lfm2Config(
        vocab_size=len(tokenizer),
        hidden_size=size.width,
        intermediate_size=size.feed_forward,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.heads,
        max_position_embeddings=CONTEXT_TOKENS,
        conv_L_cache=size.reach,
        layer_types=["conv" if layer % 2 == 0 else "full_attention" for layer in range(size.layers)],
        block_auto_adjust_ff_dim=False,
        initializer_range=_WEIGHT_STD,
        rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    model = Lfm2ForCausalLM(config)
    with torch.no_grad():
        model.model.embed_tokens.weight.normal_(std=_EMBEDDING_STD)
        for name, weight in model.model.layers.named_parameters():
            if name.endswith("conv.conv.weight"):
                weight.normal_(std=_CONVOLUTION_STD)
            elif name.endswith(("out_proj.weight", "w2.weight")):
                weight.normal_(std=_OUTPUT_STD)
    return model
