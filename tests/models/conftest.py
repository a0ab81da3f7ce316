from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer
from tiny import load_tiny, save_tiny

from masrepro.models import Local


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="session")
def tiny(tiny_folder: Path) -> Local:
    return load_tiny(tiny_folder)


@pytest.fixture
def server(tiny: Local) -> Iterator[ChatServer]:
    with ChatServer(tiny) as running:
        yield running
