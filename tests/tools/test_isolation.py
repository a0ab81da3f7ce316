"""What is refused to a program that is shut in, and what happens where nothing can shut it in."""

import socket
import tempfile
import warnings
from pathlib import Path

import pytest

from masrepro.tools import isolation as isolation_module
from masrepro.tools import sandbox
from masrepro.tools.isolation import SandboxError
from masrepro.tools.sandbox import Limits, best_isolation, run_code, run_code_sync


@pytest.fixture
def fresh():
    """No isolation is remembered, before and after."""
    best_isolation.cache_clear()
    yield
    best_isolation.cache_clear()


def outcome_of(source, shut, **options):
    """What a program printed that ends with the name of the error that stopped it."""
    guarded = "try:\n" + "".join(f"    {line}\n" for line in source.splitlines())
    program = f"{guarded}except Exception as error:\n    print(type(error).__name__)\nelse:\n    print('done')\n"
    result = run_code_sync(program, isolation=shut, **options)
    assert result.status == "ok", result
    return result.stdout.strip()


def test_the_home_cannot_be_read(shut):
    with tempfile.NamedTemporaryFile("w", dir=Path.home(), prefix="masrepro-test-") as secret:
        secret.write("secret")
        secret.flush()
        assert Path(secret.name).read_text() == "secret"
        assert outcome_of(f"open({secret.name!r}).read()", shut) == "FileNotFoundError"
        assert outcome_of("import os; open(os.path.expanduser('~/x'), 'w')", shut) == "done"
    assert not (Path.home() / "x").exists()


def test_files_outside_its_folder_cannot_be_read(shut, tmp_path):
    (tmp_path / "note").write_text("secret")
    for path in (tmp_path / "note", Path(__file__), Path("/etc/passwd")):
        assert outcome_of(f"assert open({str(path)!r}).read()", shut) in (
            "FileNotFoundError",
            "PermissionError",
            "AssertionError",
        )


@pytest.mark.parametrize("folder", ["/", "/usr", "/usr/bin", "/dev", "/etc", "/proc", "/root", "/home", "/var/tmp"])
def test_writes_outside_its_folder_are_refused(shut, folder):
    assert outcome_of(f"open('{folder}/masrepro-test', 'w')", shut) in (
        "OSError",
        "PermissionError",
        "FileNotFoundError",
    )
    assert not Path(folder, "masrepro-test").exists()


def test_its_folder_is_private_and_bounded(shut):
    limits = Limits(disk_bytes=2**20)
    assert outcome_of("import os; print(os.getcwd()); open('x', 'w').write('x')", shut) == "/tmp\ndone"
    assert outcome_of("print(open('x').read())", shut) == "FileNotFoundError"
    assert outcome_of("for n in range(30):\n    open(f'{n}', 'w').write('x' * 10**5)", shut, limits=limits) == "OSError"
    assert outcome_of("open('/dev/shm/x', 'w').write('x' * 10**7)", shut, limits=limits) == "OSError"


def test_the_network_is_refused(shut):
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        socket.create_connection(address, timeout=5).close()
        connect = "import socket; socket.create_connection({!r}, timeout=5)".format
        assert outcome_of(connect(address), shut) in ("ConnectionRefusedError", "OSError")
    assert outcome_of(connect(("192.0.2.1", 80)), shut) == "OSError"
    assert outcome_of("import socket; socket.getaddrinfo('example.org', 80)", shut) == "gaierror"


def test_other_processes_and_the_environment_are_out_of_sight(shut, monkeypatch):
    monkeypatch.setenv("MASREPRO_TEST_KEY", "secret")
    assert outcome_of("import os; print('MASREPRO_TEST_KEY' in os.environ)", shut) == "False\ndone"
    assert outcome_of("import os; print(len([n for n in os.listdir('/proc') if n.isdigit()]))", shut) == "2\ndone"


def test_no_installed_package_can_be_imported(shut):
    assert outcome_of("import pytest", shut) == "ModuleNotFoundError"
    assert outcome_of("import pip", shut) == "ModuleNotFoundError"


def test_the_best_isolation_is_bubblewrap_where_it_works(shut, fresh):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert best_isolation().startswith("bubblewrap")
        assert run_code_sync("print(1)").isolation.startswith("bubblewrap")


def test_without_bubblewrap_code_runs_with_a_plain_warning(fresh, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.warns(RuntimeWarning, match=r"WITHOUT isolation \(bubblewrap is not installed\)"):
        result = run_code_sync("print(1)")
    assert (result.status, result.stdout, result.isolation) == ("ok", "1\n", "rlimits")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_code_sync("print(2)").isolation == "rlimits"


def test_a_bubblewrap_that_does_not_start_is_named_in_the_warning(fresh, monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'no permission to create a namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.warns(RuntimeWarning, match="no permission to create a namespace"):
        assert best_isolation() == "rlimits"


@pytest.mark.parametrize(("by", "message"), [("rlimits", "no process could be started"), ("bubblewrap", "ended with")])
async def test_a_sandbox_that_does_not_start_is_no_fault_of_the_program(by, message, monkeypatch):
    if by not in isolation_module.isolations():
        pytest.skip("bubblewrap is not installed")
    monkeypatch.setattr(isolation_module, "_interpreter", lambda: "/nowhere/python")
    with pytest.raises(SandboxError, match=f"{by}: .*{message}"):
        await run_code("print(1)", isolation=by)


def test_other_systems_are_told_plainly(fresh, monkeypatch):
    monkeypatch.setattr(isolation_module.sys, "platform", "darwin")
    with pytest.raises(SandboxError, match="Linux only, not on darwin"):
        sandbox.best_isolation()
