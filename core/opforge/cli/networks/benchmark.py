"""`measure`: latency, throughput and memory of a network, and of another program."""

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ... import exporter
from ...base.errors import OpforgeError
from .comparing import compare
from .engine_process import EngineProcess
from .engines import OPFORGE, Setup
from .files import Network, is_label, write

__all__ = ["Plan", "exporter_for", "measure"]

_TURNS = 4


class Plan(NamedTuple):
    """Extent of a measurement.

    Parameters
    ----------
    threads : int
        Number of threads for one request.
    clients : int
        Number of clients that send requests at the same time.
    seconds : float
        Duration of each measurement of each engine, divided into turns.
    """

    threads: int
    clients: int
    seconds: float


def exporter_for(program: str) -> str:
    """Return the name of the exporter of the files that a program runs.

    Raises
    ------
    OpforgeError
        No installed plugin uses this program, or the program is not installed.
    """
    programs = {exporter.create(name).program: name for name in exporter.names()}
    if not program or program not in programs:
        known = ", ".join(sorted(filter(None, programs))) or "none"
        raise OpforgeError(
            f"--against {program}: no installed plugin runs networks in it (known: {known}); "
            "for onnxruntime: pip install opforge-onnx onnxruntime"
        )
    if importlib.util.find_spec(program) is None:
        raise OpforgeError(
            f"--against {program}: {program} is not installed; pip install {program}"
        )
    return programs[program]


def measure(
    source: Path,
    params: Path | None,
    network: Network,
    inputs: Mapping[str, np.ndarray],
    plan: Plan,
    against: str | None = None,
) -> dict[str, Any]:
    """Return the measurements as a JSON-serializable dictionary.

    Parameters
    ----------
    source : Path
        File of the network.
    params : Path, optional
        File of the parameters of a graph.
    network : Network
        Contents of the file.
    inputs : mapping of str to numpy.ndarray
    plan : Plan
    against : str, optional
        Another program, such as ``"onnxruntime"``.
    """
    setups = {OPFORGE: Setup(OPFORGE, source, params, dict(inputs), plan.threads)}
    with ExitStack() as stack:
        if against is not None:
            name = exporter_for(against)
            file = stack.enter_context(_export_to_file(name, source, network, inputs))
            setups[against] = Setup(name, file, None, dict(inputs), plan.threads)
        processes = {
            name: stack.enter_context(EngineProcess(setup)) for name, setup in setups.items()
        }
        report: dict[str, Any] = {
            "inputs": {
                name: {"shape": list(array.shape), "dtype": array.dtype.name}
                for name, array in inputs.items()
            },
            **plan._asdict(),
            "engines": _measure_in_turns(processes, plan),
            "operators": processes[OPFORGE].ask("operators", plan.seconds / _TURNS),
        }
        if against is not None:
            report["difference"] = _difference(*(p.ask("outputs") for p in processes.values()))
    return report


@contextmanager
def _export_to_file(
    name: str, source: Path, network: Network, inputs: Mapping[str, np.ndarray]
) -> Iterator[Path]:
    """Give a file of the exporter's format: the source, or a temporary one."""
    if source.suffix == f".{name}":
        yield source
        return
    with TemporaryDirectory(prefix="opforge-bench-") as folder:
        path = Path(folder, f"net.{name}")
        write(network, path, {n: a.shape for n, a in inputs.items() if not is_label(n)})
        yield path


def _measure_in_turns(processes: Mapping[str, EngineProcess], plan: Plan) -> dict[str, Any]:
    """Return the figures of each engine; every second turn has the reverse order."""
    latencies: dict[str, list[float]] = {name: [] for name in processes}
    rates: dict[str, list[float]] = {name: [] for name in processes}
    names = list(processes)
    for turn in range(_TURNS):
        for name in names[:: -1 if turn % 2 else 1]:
            part = plan.seconds / _TURNS
            latencies[name] += processes[name].ask("latency", part)
            rates[name].append(processes[name].ask("throughput", plan.clients, part))
    return {
        name: _figures(process, latencies[name], rates[name]) for name, process in processes.items()
    }


def _figures(
    process: EngineProcess, latencies: Sequence[float], rates: Sequence[float]
) -> dict[str, Any]:
    """Return the figures of one engine: milliseconds, requests per second and bytes."""
    times = 1e3 * np.array(latencies)
    return {
        "first_ms": 1e3 * process.start["first"],
        "median_ms": float(np.median(times)),
        "p99_ms": float(np.percentile(times, 99)),
        "minimum_ms": float(times.min()),
        "requests": len(times),
        "requests_per_second": float(np.mean(rates)),
        "imported_bytes": process.start["imported"],
        **{f"{name}_bytes": value for name, value in process.ask("memory").items()},
    }


def _difference(ours: Sequence[np.ndarray], theirs: Sequence[np.ndarray]) -> float:
    """Return the largest difference of outputs, relative to the largest element of an output."""
    one, other = ({str(n): np.asarray(a) for n, a in enumerate(o)} for o in (ours, theirs))
    return max((row.largest for row in compare(one, other, tolerance=0.0)), default=0.0)
