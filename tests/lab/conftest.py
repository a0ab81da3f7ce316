from __future__ import annotations

from pathlib import Path

import pytest
from fixture_home import FixtureHome


@pytest.fixture
def fixture_home(tmp_path: Path) -> FixtureHome:
    return FixtureHome.make(tmp_path / "a home")
