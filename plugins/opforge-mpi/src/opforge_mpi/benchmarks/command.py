"""The command itself: starts what is measured under mpiexec, and prints what it finds."""

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

from opforge.plugin_api import OpforgeError

from ..examination import launcher
from . import sizes

__all__ = ["main"]

_TORCH = Path(__file__).with_name("torch_networks.py")
#: Seconds that nothing takes on any machine.
_LIMIT = 1800


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return an exit status.

    Parameters
    ----------
    arguments : list of str
        What stands behind ``opforge bench mpi``.

    Raises
    ------
    OpforgeError
        There is no mpiexec, or a program that it starts fails.
    """
    given = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if given.networks is None:
            found = _on_ranks(given.n, ["-m", f"{__package__}.transport"], Path(folder))
            print(json.dumps(found) if given.json else _of_transport(found))
            return 0
        rows = [_of_network(name, given, Path(folder)) for name in given.networks or sizes.STEPS_OF]
    print(json.dumps({"ranks": given.n, "networks": rows}) if given.json else _of_networks(rows))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "opforge bench mpi",
        description="Measure sums over ranks, and how much of them a backward pass hides; or "
        "the training of networks. Each rank has one thread.",
    )
    parser.add_argument("-n", type=int, default=2, metavar="RANKS", help="default: 2")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--networks",
        nargs="*",
        choices=list(sizes.STEPS_OF),
        metavar="NAME",
        help=f"train instead, on one rank and on all: {', '.join(sizes.STEPS_OF)}; default: each",
    )
    parser.add_argument("--rounds", type=int, default=5, help="of steps in a process; default: 5")
    parser.add_argument(
        "--repeats", type=int, default=3, help="processes for each, in turn; default: 3"
    )
    parser.add_argument(
        "--against", choices=["torch"], help="compare with DistributedDataParallel over gloo"
    )
    parser.add_argument(
        "--torch-python",
        default=sys.executable,
        metavar="PYTHON",
        help="the interpreter that has PyTorch; default: this one",
    )
    return parser


def _of_network(name: str, given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Return seconds of a step: of one rank, of unrelated processes at once, of all ranks."""
    rounds = str(given.rounds)
    program = ["-m", f"{__package__}.networks", name, rounds]
    found: dict[str, list[float]] = {}
    for _ in range(given.repeats):
        found.setdefault("alone", []).extend(_on_ranks(1, program, folder))
        apart = [min(one) for one in _apart(given.n, program, folder)]
        found.setdefault("apart", []).append(sum(apart) / len(apart))
        found.setdefault("together", []).extend(_on_ranks(given.n, program, folder))
        if given.against:
            for key, ranks in (("torch_alone", 1), ("torch_together", given.n)):
                found.setdefault(key, []).extend(
                    _on_torch(given.torch_python, name, rounds, ranks, folder)
                )
    row = {key: {"least": min(some), "median": median(some)} for key, some in found.items()}
    return {"network": name, "ranks": given.n, **row}


def _on_ranks(count: int, program: Sequence[str], folder: Path) -> Any:
    """Return what a program under mpiexec has written."""
    target = folder / "found.json"
    _run([*_mpiexec(), "-n", str(count), sys.executable, *program, str(target)])
    return json.loads(target.read_text())


def _apart(count: int, program: Sequence[str], folder: Path) -> list[Any]:
    """Return what equally many processes write that know nothing of each other."""
    targets = [folder / f"apart{number}.json" for number in range(count)]
    with _started([[sys.executable, *program, str(target)] for target in targets]) as children:
        statuses = [child.wait(_LIMIT) for child in children]
    if any(statuses):
        raise OpforgeError(f"opforge bench mpi: {' '.join(program)} ended with {statuses}")
    return [json.loads(target.read_text()) for target in targets]


def _on_torch(python: str, name: str, rounds: str, ranks: int, folder: Path) -> list[float]:
    target = folder / "torch.json"
    store = folder / "meeting"
    store.unlink(missing_ok=True)
    _run([python, str(_TORCH), name, rounds, str(target), str(ranks), str(store)])
    found: list[float] = json.loads(target.read_text())
    return found


def _mpiexec() -> list[str]:
    path = launcher()
    if path is None:
        raise OpforgeError(
            "opforge bench mpi: there is no mpiexec; pip install 'opforge-mpi[mpich]'"
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
        said = (done.stderr or done.stdout).strip().splitlines()[-12:]
        raise OpforgeError(
            f"opforge bench mpi: {' '.join(command)} ended with status {done.returncode}:\n"
            + "\n".join(said)
        )


@contextmanager
def _started(commands: Sequence[Sequence[str]]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start processes, and end those that are left when the block is."""
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


def _of_transport(found: dict[str, Any]) -> str:
    ways = [name for name in ("shared", "messages", "library") if name in found["sums"][0]]
    lines = [
        f"{found['library']}; {found['ranks']} ranks on {', '.join(found['hosts'])}",
        "",
        "time of a sum, and bytes of it a second",
        "bytes".rjust(9) + "".join(way.rjust(24) for way in ways),
    ]
    for row in found["sums"]:
        cells = (
            f"{row[way] * 1e6:.1f} us {row['bytes'] / row[way] / 1e9:7.3f} GB/s" for way in ways
        )
        lines.append(f"{row['bytes']:9,}" + "".join(cell.rjust(24) for cell in cells))
    parts = {key: f"{value * 1e3:.2f} ms" for key, value in found["overlap"].items()}
    lines += [
        "",
        f"overlap: backward {parts['backward']}, update {parts['update']}; sums behind the pass "
        f"take {parts['sums']}, and leave {parts['left']} if they begin during it: "
        f"{found['overlap']['hidden']:.0%} hidden",
    ]
    return "\n".join(lines)


def _of_networks(rows: Sequence[dict[str, Any]]) -> str:
    lines = []
    for row in rows:
        line = f"{row['network']}, {row['ranks']} ranks:"
        for prefix, who in (("", "opforge"), ("torch_", "torch")):
            if f"{prefix}alone" in row:
                alone, together = (row[f"{prefix}{key}"] for key in ("alone", "together"))
                gained = row["ranks"] * alone["least"] / together["least"]
                line += (
                    f"\n  {who:8} alone {alone['least'] * 1e3:.1f} ms, together "
                    f"{together['least'] * 1e3:.1f} ms (median {together['median'] * 1e3:.1f}): "
                    f"{gained:.2f} times the samples"
                )
        apart = row["ranks"] * row["alone"]["least"] / row["apart"]["least"]
        line += f"\n  without any communication {apart:.2f} times: the most that this machine gives"
        lines.append(line)
    return "\n".join(lines)
