import pytest

from masrepro.tools.isolation import isolations
from masrepro.tools.sandbox import run_code_sync

EVERY = ("bubblewrap as root", "bubblewrap", "rlimits")


def usable(isolation):
    """The isolation, where it is installed and starts here; else the test is skipped."""
    if isolation not in isolations():
        pytest.skip(f"{isolation}: bubblewrap is not installed, or this is not root")
    if isolation != "rlimits":
        result = run_code_sync("print('ready')", isolation=isolation)
        if result.stdout != "ready\n":
            pytest.skip(f"{isolation} does not work here: {result.stderr}")
    return isolation


@pytest.fixture(params=EVERY)
def isolation(request):
    return usable(request.param)


@pytest.fixture(params=EVERY[:2])
def shut(request):
    """An isolation that shuts a program in; `rlimits` does not."""
    return usable(request.param)
