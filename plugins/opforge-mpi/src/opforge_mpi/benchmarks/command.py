"""The command: starts the benchmark programs under mpiexec, and reports their results."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from opforge.plugin_api import OpforgeError, benchmarks

from ..examination import launcher
from . import sizes

__all__ = ["main"]

_TORCH = Path(__file__).with_name("torch_networks.py")
#: Upper bound in seconds of the run time of any program.
_LIMIT = 1800


def main(arguments: Sequence[str]) -> int | list[benchmarks.Sheet]:
    """Run the benchmarks; return tables, or status 0 after printing JSON.

    Parameters
    ----------
    arguments : list of str
        Arguments after ``opforge bench mpi``.

    Raises
    ------
    OpforgeError
        mpiexec is not found, or a program that it starts fails.
    """
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if options.networks is None:
            found = _on_ranks(options.n, ["-m", f"{__package__}.transport"], Path(folder))
            sheets = _of_transport
        else:
            names = options.networks or sizes.STEPS_OF
            rows = [_of_network(name, options, Path(folder)) for name in names]
            found, sheets = {"ranks": options.n, "networks": rows}, _of_networks
    if not options.json:
        return sheets(found)
    print(json.dumps(found))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "opforge bench mpi",
        description="Measure sums over ranks, and how much of them a backward pass hides; or "
        "measure the training of networks. Each rank uses one thread.",
    )
    parser.add_argument("-n", type=int, default=2, metavar="RANKS", help="default: 2")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--networks",
        nargs="*",
        choices=list(sizes.STEPS_OF),
        metavar="NAME",
        help=f"train networks on one rank and on all: {', '.join(sizes.STEPS_OF)}; default: all",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds per process; default: 5")
    parser.add_argument(
        "--repeats", type=int, default=3, help="processes per case, alternating; default: 3"
    )
    parser.add_argument(
        "--against", choices=["torch"], help="compare with DistributedDataParallel over gloo"
    )
    parser.add_argument(
        "--torch-python",
        default=sys.executable,
        metavar="PYTHON",
        help="Python interpreter with PyTorch; default: this one",
    )
    return parser


def _of_network(name: str, options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return step times: alone, in unrelated processes, of ranks that only meet, and together."""
    rounds = str(options.rounds)
    program = ["-m", f"{__package__}.networks", name, rounds]
    found: dict[str, list[float]] = {}
    for _ in range(options.repeats):
        found.setdefault("alone", []).extend(_on_ranks(1, program, folder))
        apart = [min(times) for times in _apart(options.n, program, folder)]
        found.setdefault("apart", []).append(sum(apart) / len(apart))
        found.setdefault("meeting", []).extend(_on_ranks(options.n, [*program, "meeting"], folder))
        found.setdefault("together", []).extend(_on_ranks(options.n, program, folder))
        if options.against:
            for key, ranks in (("torch_alone", 1), ("torch_together", options.n)):
                found.setdefault(key, []).extend(
                    _on_torch(options.torch_python, name, rounds, ranks, folder)
                )
    row = {key: {"least": min(times), "median": median(times)} for key, times in found.items()}
    return {"network": name, "ranks": options.n, **row}


def _on_ranks(count: int, program: Sequence[str], folder: Path) -> Any:
    """Return the results that a program under mpiexec has written."""
    target = folder / "found.json"
    _run([*_mpiexec(), "-n", str(count), sys.executable, *program, str(target)])
    return json.loads(target.read_text())


def _apart(count: int, program: Sequence[str], folder: Path) -> list[Any]:
    """Return the results of `count` processes that run at the same time but independently."""
    targets = [folder / f"apart{number}.json" for number in range(count)]
    with _start_processes(
        [[sys.executable, *program, str(target)] for target in targets]
    ) as children:
        statuses = [child.wait(_LIMIT) for child in children]
    if any(statuses):
        raise OpforgeError(f"opforge bench mpi: {' '.join(program)} ended with {statuses}")
    return [json.loads(target.read_text()) for target in targets]


def _on_torch(python: str, name: str, rounds: str, ranks: int, folder: Path) -> list[float]:
    target = folder / "torch.json"
    store = folder / "meeting"
    store.unlink(missing_ok=True)
    program = [python, str(_TORCH), name, rounds, str(target), str(store)]
    _run([*_mpiexec(), "-n", str(ranks), *program])
    found: list[float] = json.loads(target.read_text())
    return found


def _mpiexec() -> list[str]:
    path = launcher()
    if path is None:
        raise OpforgeError(
            "opforge bench mpi: mpiexec not found; run pip install 'opforge-mpi[mpich]'"
        )
    return [path]


def _environment() -> dict[str, str]:
    return {**os.environ, "OPFORGE_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(
        command,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LIMIT,
    )
    if done.returncode:
        output = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise OpforgeError(
            f"opforge bench mpi: {' '.join(command)} ended with status {done.returncode}:\n"
            + "\n".join(output)
        )


@contextmanager
def _start_processes(commands: Sequence[Sequence[str]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start processes, and end those still running when the block ends."""
    children = [
        subprocess.Popen(command, env=_environment(), stdin=subprocess.DEVNULL)
        for command in commands
    ]
    try:
        yield children
    finally:
        for child in children:
            child.kill()
            child.wait()


def _of_transport(found: dict[str, Any]) -> list[benchmarks.Sheet]:
    paths = [name for name in ("shared", "messages", "library") if name in found["sums"][0]]
    columns = ["bytes", *(cell for path in paths for cell in (path, "GB/s"))]
    sums = benchmarks.Sheet("time and throughput of a sum", columns)
    for row in found["sums"]:
        each = ((row[path], row["bytes"] / row[path] / 1e9) for path in paths)
        cells = (cell for time, rate in each for cell in (benchmarks.seconds(time), f"{rate:.3f}"))
        sums.rows.append([f"{row['bytes']:,}", *cells])
    sums.notes.append(f"{found['library']}; {found['ranks']} ranks on {', '.join(found['hosts'])}")
    *times, hidden = found["overlap"].values()
    overlap = benchmarks.Sheet(
        "overlap of sums with the backward pass of a perceptron",
        ["", *found["overlap"]],
        [["time", *map(benchmarks.seconds, times), f"{hidden:.0%}"]],
        ["sums: after the pass; left: remaining time of sums that start during it, net of update"],
    )
    return [sums, overlap]


def _of_networks(found: dict[str, Any]) -> list[benchmarks.Sheet]:
    columns = ["network", "library", "alone", "together", "median", "speedup"]
    sheet = benchmarks.Sheet(f"training step on one and on {found['ranks']} ranks", columns)
    for row in found["networks"]:
        for prefix, library in (("", "opforge"), ("torch_", "torch")):
            if f"{prefix}alone" not in row:
                continue
            alone, together = (row[f"{prefix}{key}"] for key in ("alone", "together"))
            times = (alone["least"], together["least"], together["median"])
            speedup = row["ranks"] * alone["least"] / together["least"]
            cells = [row["network"], library, *map(benchmarks.seconds, times), f"{speedup:.2f}"]
            sheet.rows.append(cells)
        limit, meeting = (
            row["ranks"] * row["alone"]["least"] / row[key]["least"] for key in ("apart", "meeting")
        )
        sheet.notes.append(
            f"{row['network']}: speedup {limit:.2f} without any communication, the maximum of this "
            f"machine; {meeting:.2f} if ranks only wait for each other after each step"
        )
    return [sheet]
