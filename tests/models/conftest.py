from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chat_server import ChatServer

if TYPE_CHECKING:
    from masrepro.models import Local

# Torch is imported only by the tests that need it.


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tiny import save_tiny

    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Local:
    from tiny import load_tiny

    return load_tiny(tiny_folder)


@pytest.fixture
def server(tiny: Local) -> Iterator[ChatServer]:
    with ChatServer(tiny) as running:
        yield running
