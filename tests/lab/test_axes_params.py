"""What the notebook on the five axes may be told."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from masrepro.lab.axes_params import FiveAxesParams
from masrepro.lab.orchestrator import Orchestrator
from masrepro.models.servers import Server

SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096)


def test_orchestrators_gain_over_the_single_agent_so_it_has_to_be_there() -> None:
    with pytest.raises(ValidationError, match="systems lacks single_agent"):
        FiveAxesParams(systems=("oracle",), orchestrators={"mine": Orchestrator(model="desk-orchestrator")})
    assert FiveAxesParams(systems=("oracle",)).orchestrators == {}


def test_a_server_is_asked_for_every_sub_agents_model_and_every_orchestrator() -> None:
    params = FiveAxesParams(
        server=SERVER, solvers=("weak", "strong"), orchestrators={"mine": Orchestrator(model="writer", server=SERVER)}
    )
    assert [(one.field, one.model) for one in params.served] == [
        ("server", "weak"),
        ("server", "strong"),
        ("orchestrators.mine.server", "writer"),
    ]
    assert params.bound().cost_usd is None and FiveAxesParams().bound().cost_usd == 0
