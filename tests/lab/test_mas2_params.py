"""What the notebook on MAS²'s run time may be told."""

import pytest
from pydantic import ValidationError

from masrepro.lab.mas2_params import RuntimeParams


def test_a_pool_of_one_is_refused_as_nothing_could_take_its_place():
    with pytest.raises(ValidationError, match="at least 2"):
        RuntimeParams(solvers=("desk-solver-s",))
