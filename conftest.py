"""Environment of every test of the core and of the plugins: fixed seeds and a leak check.

The seed of a session is 0, or `OPFORGE_TEST_SEED`, a number or ``random``; the header of the report
shows it. Each test is seeded with it and the test's name, so a test behaves the same when it runs
alone. hypothesis draws its examples from it too: no change is rejected because of an example drawn
by chance. Warnings are errors (pyproject.toml).
"""

import faulthandler
import gc
import importlib.util
import operator
import os
import random
import select
import shlex
import shutil
import signal
import subprocess
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
#: Slowest files, which parallel runs start first so that none is left running alone at the end.
SLOWEST = ("tests/ecosystem/test_scaffold.py", "tests/ecosystem/test_tox.py")
#: Python's operators of two operands, by their names in `operator`.
ARITHMETIC = ("add", "sub", "mul", "truediv", "mod", "pow")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
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
    parser.addoption(
        "--part",
        choices=("core", "rest"),
        help="core: unit tests that need no plugin, to run without any; rest: all others",
    )


@pytest.fixture
def stress(request: pytest.FixtureRequest) -> int:
    """Return the factor of extra work, and time, for a test with random work."""
    config = request.config
    times = int(config.getoption("--stress"))
    if times > 1:
        limit = times * float(config.getini("faulthandler_timeout"))
        faulthandler.dump_traceback_later(limit, exit=True, file=config.stash[STDERR])
    return times


@pytest.fixture(params=[*ARITHMETIC, *COMPARISONS])
def binary_operator(request: pytest.FixtureRequest) -> Callable[[Any, Any], Any]:
    """Return each of Python's operators of arithmetic and comparison."""
    return getattr(operator, request.param)


@pytest.fixture(scope="session")
def libmpi() -> None:
    """Skip the test unless mpi4py is installed and finds an MPI library that it can load."""
    program = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        pytest.skip(f"mpi4py cannot load MPI: {reason}; pip install 'opforge-mpi[mpich]'")


@pytest.fixture
def weights_file(tmp_path: Path) -> Path:
    """Return a file to download, in a folder of its own."""
    file = tmp_path / "elsewhere" / "weights.bin"
    file.parent.mkdir()
    file.write_bytes(b"weights")
    return file


@pytest.fixture(scope="session")
def c_compiler() -> list[str]:
    """Return the command of Python's or the system's C compiler; skip if there is none."""
    for command in (shlex.split(sysconfig.get_config_var("CC") or "cc"), ["cc"]):
        if shutil.which(command[0]):
            return command
    pytest.skip("no C compiler found; install gcc")


@pytest.hookimpl(tryfirst=True)  # hypothesis reads its seed when it is configured
def pytest_configure(config: pytest.Config) -> None:
    # If pytest loads no installed plugins. Tests of the core must pass without opforge-tools.
    if not config.pluginmanager.has_plugin("opforge") and importlib.util.find_spec("opforge_tools"):
        config.pluginmanager.import_plugin("opforge_tools.pytest_plugin")
    config.stash[STDERR] = os.dup(2)  # before output is captured
    # The background jobs of a shell, and their children, start with it ignored.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    text = os.environ.get("OPFORGE_TEST_SEED", "0")
    config.stash[STATE] = random.SystemRandom().randrange(2**31) if text == "random" else int(text)
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = str(config.stash[STATE])  # in the form of the command line


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection, which `no_leaks` runs after many tests.

    A collection that visits the objects of 27,000 tests takes half a second.
    """
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    root = Path(__file__).parent
    rank = {root / name: position for position, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))  # others keep their order
    if part := config.getoption("--part"):
        chosen = [_is_core(item, root / "tests" / "unit") == (part == "core") for item in items]
        left_out = [item for item, is_chosen in zip(items, chosen, strict=True) if not is_chosen]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def _is_core(item: pytest.Item, unit: Path) -> bool:
    """Return whether a test is a unit test of the core that needs no plugin."""
    return item.path.is_relative_to(unit) and item.get_closest_marker("plugins") is None


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
    """Seed the generators of Python, NumPy and opforge with the test's own seed."""
    seed = _seed_of(request.node)
    random.seed(seed)
    np.random.seed(seed)
    if "opforge" in sys.modules:  # opforge's random module may not be loaded before the test
        importlib.import_module("opforge.random").seed(seed)
    return seed


def _live_bytes() -> Callable[[], int] | None:
    """Return the counter of array memory, once a test has imported opforge."""
    buffer = sys.modules.get("opforge.native.memory.buffer")
    return None if buffer is None else lambda: buffer.memory_stats()["live_bytes"]


@pytest.fixture(scope="session")
def wait_for_exit() -> Callable[[int], None]:
    """Return a function that waits until a process, which need not be a child, has ended.

    It has no limit of its own: the limit of all tests ends a wait for a process that hangs.
    """

    def wait(pid: int) -> None:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        try:
            select.select([descriptor], [], [])
        finally:
            os.close(descriptor)

    return wait


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Freeze the garbage of earlier tests while a test counts live objects."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def expect_no_blocks_left() -> Callable[[Callable[[], object]], None]:
    """Return a function that runs a series of calls and fails if Python's blocks outlive it.

    A thread of the process or NumPy's printing may take some temporarily; a leak is permanent, so
    that the series is repeated. Frames, interned text and growing tables may take up to 100 blocks.
    """

    def check(series: Callable[[], object]) -> None:
        left: list[int] = []
        while len(left) < 5 and (not left or left[-1] > 100):
            gc.collect()
            before = sys.getallocatedblocks()
            series()
            gc.collect()
            left.append(sys.getallocatedblocks() - before)
        assert left[-1] <= 100, f"Python objects outlive the calls: {left}"

    return check


@pytest.fixture(autouse=True)
def width_of_pipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give tables in pipes a fixed width, whatever the terminal of the test run."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest, seeds: int) -> Iterator[None]:
    """Fail a passing test that leaves more array memory allocated than before it."""
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
        pytest.fail(f"{grown} bytes of arrays outlive the test; if intended, mark it keeps_memory")


@pytest.fixture(autouse=True)
def no_leaked_modes() -> Iterator[None]:
    """Fail a test that leaves its thread recording, training or on another device; restore it."""
    yield
    autograd = sys.modules.get("opforge.autograd")
    context = sys.modules.get("opforge.base.context")
    if autograd is None or context is None:
        return
    left = [
        autograd.set_recording(False),
        autograd.set_training(False),
        context.open_contexts.get(),
    ]
    context.open_contexts.set(())
    if any(left):
        pytest.fail(f"recording, training, open contexts after the test: {left}; expected none")


@pytest.fixture(autouse=True)
def no_leaked_rules() -> Iterator[None]:
    """Undo the rules that a test or a page registers: others expect operators without them."""
    yield
    table = sys.modules.get("opforge.op.rules.table")
    if table is not None and table._own:
        table._own.clear()
        table._table.forget_decisions()


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
        # Not `plugin.refresh`: the command must find invalid settings itself.
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
