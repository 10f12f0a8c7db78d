"""What every test of the core and of the plugins runs under: fixed seeds and a leak check.

The seed of a session is 0, or `OPFORGE_TEST_SEED`, a number or ``random``; the report's first lines
print it, and each test starts from it and its own name, so that a test alone repeats what it did
among the others. hypothesis draws its examples from it too: a change is not refused for an example
that another one met by chance. Warnings are errors (pyproject.toml).
"""

import faulthandler
import gc
import importlib
import os
import random
import shlex
import shutil
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# On a busy machine a correct example may take long.
settings.register_profile("opforge", deadline=None)
settings.load_profile("opforge")

DISTRIBUTIONS = Path(__file__).parent / "tests" / "fixtures" / "distributions"
STATE = pytest.StashKey[int]()
PASSED = pytest.StashKey[bool]()
STDERR = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stress",
        type=int,
        default=1,
        metavar="N",
        help="repeat random programs, hostile calls and leak checks N times as often",
    )


@pytest.fixture
def stress(request: pytest.FixtureRequest) -> int:
    """How much more than usual a test with random work is to do; it may take as much longer."""
    config = request.config
    times = int(config.getoption("--stress"))
    if times > 1:
        limit = times * float(config.getini("faulthandler_timeout"))
        faulthandler.dump_traceback_later(limit, exit=True, file=config.stash[STDERR])
    return times


@pytest.fixture(scope="session")
def c_compiler() -> list[str]:
    """Return the command of Python's C compiler, or of the system's; skip where there is none."""
    for command in (shlex.split(sysconfig.get_config_var("CC") or "cc"), ["cc"]):
        if shutil.which(command[0]):
            return command
    pytest.skip("there is no C compiler: install gcc")


@pytest.hookimpl(tryfirst=True)  # hypothesis reads its seed when it is configured
def pytest_configure(config: pytest.Config) -> None:
    # An environment without opforge-tools, or that loads no plugins, takes it from the checkout.
    if not config.pluginmanager.has_plugin("opforge"):
        sys.path.append(str(Path(__file__).parent / "plugins" / "opforge-tools" / "src"))
        config.pluginmanager.import_plugin("opforge_tools.pytest_plugin")
    config.stash[STDERR] = os.dup(2)  # before output is captured
    text = os.environ.get("OPFORGE_TEST_SEED", "0")
    config.stash[STATE] = random.SystemRandom().randrange(2**31) if text == "random" else int(text)
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = str(config.stash[STATE])  # as the command line has it


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: OPFORGE_TEST_SEED={config.stash[STATE]}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    if report.failed:
        report.sections.append(("seed", f"OPFORGE_TEST_SEED={item.config.stash[STATE]}"))
    return report


def _seed_of(item: pytest.Item) -> int:
    return (item.config.stash[STATE] + zlib.crc32(item.nodeid.encode())) % 2**31


@pytest.fixture(autouse=True)
def seeds(request: pytest.FixtureRequest) -> int:
    """Start the generators of Python, NumPy and opforge from the test's own seed."""
    seed = _seed_of(request.node)
    random.seed(seed)
    np.random.seed(seed)
    if "opforge" in sys.modules:  # its module of random numbers may not be loaded before the test
        importlib.import_module("opforge.random").seed(seed)
    return seed


def _live_bytes() -> Callable[[], int] | None:
    """Return the counter of memory that arrays hold, once a test has imported opforge."""
    buffer = sys.modules.get("opforge.native.memory.buffer")
    return None if buffer is None else lambda: buffer.memory_stats()["live_bytes"]


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Leave the garbage of former tests where it is while a test counts what is alive."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def width_of_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give tables their width in pipes, whatever the terminal of the test run."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest, seeds: int) -> Iterator[None]:
    """Fail a passing test after which more array memory is alive than before it."""
    counter = _live_bytes()
    before = 0 if counter is None else counter()
    yield
    counter = _live_bytes()
    if counter is None or request.node.get_closest_marker("keeps_memory"):
        return
    if not request.node.stash.get(PASSED, False) or counter() <= before:
        return
    gc.collect()
    grown = counter() - before
    if grown > 0:
        pytest.fail(f"{grown} bytes of arrays outlive the test; mark it keeps_memory if it must")


@pytest.fixture
def with_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that makes fake distributions visible to this process and its children."""
    import opforge
    from opforge import plugin
    from opforge.op.registry.table import forget_decisions

    for name in ("OPFORGE_PLUGINS", "OPFORGE_PIN", "OPFORGE_STRICT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CONFIG", os.devnull)
    before = list(sys.path)

    def install(*names: str) -> None:
        places = [str(DISTRIBUTIONS / name.replace("-", "_")) for name in names]
        monkeypatch.setattr(sys, "path", [*places, *before])
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*places, *filter(None, before)]))
        # Not `plugin.refresh`: settings that cannot be understood are for the command to find.
        plugin.RESOLVER._states = plugin.RESOLVER._settings = None
        forget_decisions()

    yield install
    monkeypatch.undo()
    plugin.refresh()
    for name in [n for n in sys.modules if n.removeprefix("opforge.").startswith("fx_")]:
        del sys.modules[name]
        vars(opforge).pop(name.removeprefix("opforge."), None)


@pytest.fixture
def opforge(with_plugins: Callable[..., None]) -> Callable[..., Any]:
    """Return a function that runs ``opforge`` with fake distributions installed.

    It runs in this process, because starting another one takes a second.
    """
    from typer.testing import CliRunner

    from opforge.cli.app import app

    def run(*arguments: str, installed: Iterable[str] = (), code: int = 0) -> SimpleNamespace:
        with_plugins(*installed)
        done = CliRunner().invoke(app, arguments, prog_name="opforge")
        assert done.exit_code == code, done.output
        imported = sorted(name for name in sys.modules if name.startswith("fx_"))
        return SimpleNamespace(stdout=done.stdout, stderr=f"{done.stderr}IMPORTED {imported}\n")

    return run
