"""Importing the package: what it brings in, and what it sets for torch."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


def run(code: str, **environment: str) -> str:
    inherited = {key: value for key, value in os.environ.items() if key not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=inherited | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_importing_the_package_is_light() -> None:
    heavy = "('torch', 'transformers', 'openai', 'httpx2', 'numpy')"
    code = f"import sys, masrepro.models; print([m for m in {heavy} if m in sys.modules])"
    assert run(code) == "[]"


def test_openmp_is_told_not_to_spin_unless_the_user_says_otherwise() -> None:
    code = "import os, masrepro.models; print(os.environ['OMP_WAIT_POLICY'], os.environ['GOMP_SPINCOUNT'])"
    assert run(code) == "PASSIVE 0"
    assert run(code, OMP_WAIT_POLICY="ACTIVE") == "ACTIVE 0"


def test_an_unknown_name_is_an_attribute_error() -> None:
    import masrepro.models

    with pytest.raises(AttributeError, match="has no attribute 'Remote'"):
        _ = masrepro.models.Remote
