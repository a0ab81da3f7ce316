"""Keeps secrets out of params and out of everything under ``outputs/``.

Keys come from environment variables. A secret is recognised by the name it goes under (``api_key``,
``HF_TOKEN``), by its shape (``sk-...``), or by being the value of an environment variable with such a name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from masrepro.lab.file import write_atomic

_NAME = re.compile(
    r"(^|[_\-.])(api_?keys?|apikey|access_?key(_?id)?|private_?key|secret_?key|secrets?|token|password|passwd|passphrase"
    r"|credentials?)$",
    re.IGNORECASE,
)
# A misspelt max_tokens, plan_tokens or run_tokens: told as what it is.
_COUNT = re.compile(r"(^|\.)(max|plan|run)_token$")
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-[A-Za-z0-9_\-]{8,}|hf_[A-Za-z0-9]{8,}|AKIA[0-9A-Z]{12,}|gh[pousr]_[A-Za-z0-9]{16,}"
    r"|github_pat_\w{16,}|xox[abprs]-[A-Za-z0-9\-]{10,}|AIza[0-9A-Za-z_\-]{30,})"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|://[^/\s:@]+:[^/\s@]+@"
)
# Stricter than _SHAPE, because it edits free text: words such as "sk-learn-based" must come through.
_IN_TEXT = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?=[A-Za-z0-9_\-]*[0-9])[A-Za-z0-9_\-]{16,}|hf_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,}"
    r"|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,})"
)
_MIN_CHARS = 8
_BINARY = {".safetensors", ".bin", ".pt", ".npy", ".png", ".pdf"}


def is_secret_name(name: str) -> bool:
    """Whether a key of this name holds a secret: ``api_key``, ``OPENAI_API_KEY``; not ``max_tokens``, also misspelt."""
    return _NAME.search(name) is not None and _COUNT.search(name) is None


def looks_secret(text: str) -> bool:
    """Whether a params value has the shape of a key, or is the value of a secret environment variable."""
    return _SHAPE.search(text) is not None or any(
        secret in text for secret in _environment_secrets(os.environ).values()
    )


def secret_paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths into nested mappings and lists at which a secret stands."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if is_secret_name(str(key)):
                yield (*path, key)
            else:
                yield from secret_paths(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from secret_paths(inner, (*path, index))
    elif isinstance(value, str) and looks_secret(value):
        yield path


def redact(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """The text with every secret replaced: by its variable's name in brackets, or by ``[secret]``."""
    for name, secret in _environment_secrets(environ).items():
        for form in {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}:
            text = text.replace(form, f"[{name}]")
    return _IN_TEXT.sub("[secret]", text)


def scrub(folder: Path) -> list[Path]:
    """Redact every file below a run folder but weights and pictures; returns those that held a secret."""
    changed = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in _BINARY or not path.is_file():
            continue
        text = path.read_bytes().decode("utf-8", errors="surrogateescape")
        clean = redact(text)
        if clean != text:
            write_atomic(path, clean.encode("utf-8", errors="surrogateescape"))
            changed.append(path)
    return changed


def _environment_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """Secret values by variable name, longest first, so that one that contains another is replaced whole."""
    found = {name: value for name, value in environ.items() if is_secret_name(name) and len(value) >= _MIN_CHARS}
    return dict(sorted(found.items(), key=lambda pair: -len(pair[1])))
