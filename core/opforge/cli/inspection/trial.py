"""Trial loads of plugins in a child process, which protects this one from their effects.

The child reports the start and the result of each plugin. If it dies, the plugin that it was
loading is reported, and a new child continues with the next.
"""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from ...plugin import Provider

__all__ = ["TIME_LIMIT", "serve", "trials", "try_plugins"]

Row = dict[str, Any]
#: Seconds per plugin; enough to read a model file during the import, also on a busy machine.
TIME_LIMIT = 30.0
_CHILD = "from opforge.cli.inspection.trial import serve; serve()"
_SHOWN = 400


def try_plugins(
    names: Sequence[str], time_limit: float = TIME_LIMIT, operator: str = ""
) -> dict[str, Row]:
    """Load plugins in a child process; return all rows of `trials`."""
    return dict(trials(names, time_limit, operator))


def trials(
    names: Sequence[str], time_limit: float = TIME_LIMIT, operator: str = ""
) -> Iterator[tuple[str, Row]]:
    """Start loading plugins in a child process; yield each one's row as soon as it is known.

    The child runs concurrently with the caller.

    Parameters
    ----------
    names : sequence of str
        Distributions.
    time_limit : float
        Seconds per plugin.
    operator : str, optional
        An operator of theirs to measure.

    Yields
    ------
    tuple of str and dict
        Distribution, and ``"state"``, ``"error"``, ``"traceback"``, ``"problems"``,
        ``"seconds"``, ``"printed"``, the start of its standard output, ``"figures"`` of the
        operator as text, ``"native_interface"``, the version of opforge's C interface that it was
        built for, and ``"examinations"``, pairs of a text and its remedy or "".
    """
    left = list(names)
    child = _Child([operator, *left]) if left else None
    return _rows(child, left, time_limit, operator)


def _rows(
    child: "_Child | None", left: list[str], time_limit: float, operator: str
) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a started child, and of its successors if it dies."""
    while child is not None:
        current = ""
        with child:
            for message in child.messages(time_limit):
                current = message["plugin"]
                if "state" in message:
                    left.remove(current)
                    yield current, message
            ending = child.ending()
        if left:
            # Before the first message only opforge itself can have ended the child.
            culprit = current if current in left else left[0]
            left.remove(culprit)
            yield culprit, _row(culprit, "failed", error=ending)
        child = _Child([operator, *left]) if left else None


def serve() -> None:
    """Load plugins and report on standard output; the main function of the child.

    The arguments are the operator to measure, which may be empty, and the distributions.
    """
    from ... import plugin

    reports = os.fdopen(os.dup(1), "w")
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 1)
        os.environ.pop("OPFORGE_STRICT", None)
        operator, *names = sys.argv[1:]
        for name in names:
            print(json.dumps({"plugin": name}), file=reports, flush=True)
            start = os.fstat(1).st_size
            plugin.RESOLVER.load(name)
            sys.stdout.flush()
            written.seek(start)
            text = written.read(_SHOWN).decode(errors="replace")
            print(json.dumps(_result(name, text, operator)), file=reports, flush=True)
    reports.flush()
    os._exit(0)  # skips threads and exit handlers of plugins


class _Child:
    """Child process that loads plugins."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._silent_for = 0.0
        self._errors: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed on exit
        # -P: do not import from the working directory.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CHILD, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )

    def __enter__(self) -> "_Child":
        return self

    def __exit__(self, *error: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
        self._errors.close()

    def messages(self, time_limit: float) -> Iterator[Row]:
        """Yield the messages of the child until it ends or exceeds the time limit."""
        pipe = self._process.stdout
        assert pipe is not None
        text = b""
        deadline = time.monotonic() + time_limit
        while True:
            ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                self._silent_for = time_limit
                self._process.kill()
                return
            data = os.read(pipe.fileno(), 1 << 16)
            if not data:
                return
            *lines, text = (text + data).split(b"\n")
            for line in lines:
                deadline = time.monotonic() + time_limit
                yield json.loads(line)

    def ending(self) -> str:
        """Return how the child ended, in words."""
        status = self._process.wait()
        if self._silent_for:
            return f"not loaded after {self._silent_for:g} s"
        if status < 0:
            return f"loading it ended the process with {signal.Signals(-status).name}"
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().splitlines()[-1:]
        detail = f": {last[0]}" if last else ""
        return f"loading it ended the process with status {status}{detail}"


def _result(name: str, printed: str, operator: str) -> Row:
    from ... import plugin
    from ...op.registry.naming import normalize
    from ...plugin.commands import name_problems

    state = plugin.RESOLVER.states().get(normalize(name))
    if state is None:
        return _row(name, "failed", error="not installed")
    loaded = state.state == "loaded"
    return _row(
        name,
        state.state,
        error=state.error,
        traceback=state.trace,
        problems=[*state.problems, *name_problems(state.provider)],
        seconds=round(state.seconds, 4),
        printed=printed,
        native_interface=_native_interface(state.provider),
        figures=_figures(f"{name}::{operator}") if operator and loaded else {},
        examinations=[*_broken_commands(state.provider), *_examination_results(name)]
        if loaded
        else [],
    )


def _native_interface(provider: "Provider") -> str:
    """Return the newest version of opforge's C interface that its operators were built for."""
    from ...op.registry.table import TABLES

    entries = [e for e in TABLES["operator"].entries() if e.provider == provider.name]
    versions = {getattr(entry.prop_class, "abi_version", "") for entry in entries}
    return max(versions, default="", key=lambda text: [*map(int, text.split(".") if text else [])])


def _examination_results(name: str) -> list[list[str]]:
    """Return the results of the plugin's own examinations of this machine."""
    from ...plugin.command_line import EXAMINATIONS, functions_of

    results = []
    for point in functions_of(EXAMINATIONS, name).values():
        try:
            results += [[str(message), str(remedy)] for message, remedy in point.load()()]
        except Exception as error:
            what = f"examination {point.value} failed: {type(error).__name__}: {error}"
            results.append([what, f"pip install -U {name}"])
    return results


def _broken_commands(provider: "Provider") -> list[list[str]]:
    """Return the commands that cannot be imported, with remedies."""
    from ...base.errors import PluginError
    from ...plugin.commands import commands_of, load_command
    from ...plugin.remedies import failure_remedy
    from ...plugin.tracebacks import last_line

    results = []
    for command in commands_of(provider):
        try:
            load_command(command)
        except PluginError as error:
            cause = error.__cause__
            what = f"cannot be imported: {last_line(cause)}" if cause else str(error)
            results.append(
                [f"command {command.name!r} {what}", failure_remedy(provider.name, what)]
            )
    return results


def _figures(operator: str) -> dict[str, str]:
    """Return facts about a loaded operator: its native interface and measurements."""
    from ...base.errors import OpforgeError
    from ...op.registry import registry

    try:
        abi = getattr(registry.lookup(operator).prop_class, "abi_version", "")
        found = {"native interface": abi} if abi else {}
        return {**found, **_operator_measurements(operator)}
    except (OpforgeError, ValueError, TypeError):  # a layer, or an operator that needs samples
        return {}


def _operator_measurements(operator: str) -> dict[str, str]:
    """Return measurements of an operator, or how to install the distribution for them."""
    from ...base.errors import OperatorNotFoundError
    from ...op.registry.missing import offer
    from ...plugin.modules import plugin_module

    try:
        testing: Any = plugin_module("testing")
    except OperatorNotFoundError:
        return {"measurements": offer("opforge-tools")}
    return {key: f"{value:,.4g}" for key, value in testing.measure_op(operator).items()}


def _row(name: str, state: str, **fields: Any) -> Row:
    texts = dict.fromkeys(("error", "traceback", "printed", "native_interface"), "")
    blank: Row = {**texts, "problems": [], "seconds": 0.0, "figures": {}}
    blank["examinations"] = []
    return {"plugin": name, "state": state, **blank, **fields}
