"""Run MXNet's example programs and tutorials on opforge, and on MXNet beside it.

    python scripts/mxnet_programs SOURCES [NAME ...] [--oracle PYTHON] [--write] [--show]

SOURCES is a checkout of apache/mxnet 1.9.1. Each program of programs/*.toml runs in a process of
its own with made-up data, by ``python -m opforge.mxnet`` and, with ``--oracle``, on the MXNet of
another Python, from the same parameters; then the numbers that both print are compared. NAME is a
part of the name of a program. ``--write`` writes the table to the page. The status is 1 if a
program failed that has no `fails`, a reason, in its row.

With ``--ranks N``, the programs that train on several ranks run under ``mpiexec -n N``, on opforge
alone; scripts/two_machines.py before it gives each its share of two machines.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_up import make_files

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from page_table import write_table  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "reference" / "mxnet-examples.md"
#: Comments of the page around the table.
BEGIN, END = "<!-- programs: written by scripts/mxnet_programs -->", "<!-- end of programs -->"
BEGIN_RANKS, END_RANKS = BEGIN.replace("programs:", "ranks:", 1), "<!-- end of ranks -->"
#: Lines with times, addresses, versions and places in MXNet's sources, and dates in others.
TIMES = re.compile(
    r"(?i)sec|speed|time|took|\bms\b|per_s|elapsed|memory|warning|version|Start training"
    r"| at 0x|\.\./src/|%\|"
)
DATES = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]?\d*|\[\d\d:\d\d:\d\d\]|\w+\.(?:py|cc):\d+"
)
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan\b|inf\b)")
#: Relative difference at which two numbers are taken for equal.
NEAR = 2e-2


@dataclass
class Outcome:
    """How the run of a program ended."""

    seconds: float
    status: int
    output: str

    @property
    def numbers(self) -> list[float]:
        """Numbers of the output, without times."""
        lines = [DATES.sub("", line) for line in self.output.splitlines() if not TIMES.search(line)]
        return [float(word) for line in lines for word in NUMBER.findall(line)]


def programs() -> list[dict[str, Any]]:
    """Return the rows of all files of programs."""
    found: list[dict[str, Any]] = []
    for path in sorted((HERE / "programs").glob("*.toml")):
        found += tomllib.loads(path.read_text(encoding="utf-8"))["programs"]
    return found


def copy_sources(sources: Path, files: Path, folder: Path) -> None:
    """Copy what programs read and write, and make the home folder with data sets."""
    for name in ("example", "docs/python_docs", "tools"):
        shutil.copytree(sources / name, folder / name, symlinks=True)
    shutil.copytree(files / "home", folder / "home")


def prepare(program: dict[str, Any], files: Path, folder: Path) -> Path:
    """Apply the cuts of a program and copy its data; return its path."""
    path = folder / program["path"]
    for name, cuts in program.get("cuts", {}).items():
        target = path.parent / name
        text = target.read_text(encoding="utf-8")
        for before, after in cuts:
            if before not in text:
                raise SystemExit(f"{program['path']}: {name} does not contain {before!r}")
            text = text.replace(before, after)
        target.write_text(text, encoding="utf-8")
    for name, source in program.get("data", {}).items():
        target = path.parent / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (files / source).is_dir():
            shutil.copytree(files / source, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(files / source, target)
    return path


def run(program: dict[str, Any], python: list[str], files: Path, folder: Path) -> Outcome:
    """Run a program in a copy of the sources."""
    path = prepare(program, files, folder)
    settings = {**os.environ, "HOME": str(folder / "home"), "PYTHONWARNINGS": "ignore"}
    settings |= {"MXNET_HOME": str(folder / "home" / ".mxnet"), **program.get("environment", {})}
    place = path.parent / program.get("folder", ".")
    command = [*python, str(HERE / "launch.py"), str(files), str(path)]
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*command, *program.get("arguments", ())],
            cwd=place,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=program.get("limit", 300),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        text = (error.stdout or b"").decode(errors="replace")
        return Outcome(time.monotonic() - began, -1, text + "\ntimed out")
    output = done.stdout.decode(errors="replace")
    return Outcome(time.monotonic() - began, done.returncode, output)


def comparison(one: Outcome, other: Outcome) -> str:
    """Return in words how many numbers two outputs have in common."""
    a, b = one.numbers, other.numbers
    if not a and not b:
        return "none printed"
    equal = sum(is_near(x, y) for x, y in zip(a, b, strict=False))
    total = max(len(a), len(b))
    return "equal" if equal == total else f"{equal} of {total}"


def is_near(x: float, y: float) -> bool:
    """Return whether two numbers are equal up to what rounding adds up to in a training."""
    return x == y or (x != x and y != y) or abs(x - y) <= NEAR * max(abs(x), abs(y), 1e-2)


def why(outcome: Outcome) -> str:
    """Return the last line of an output."""
    lines = [line for line in outcome.output.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:150] if lines else f"status {outcome.status}"


def main() -> int:
    """Run the chosen programs; return 1 if one failed without a reason."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", type=Path, metavar="SOURCES")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all programs")
    parser.add_argument("--oracle", metavar="PYTHON", help="a Python that has MXNet 1.9.1")
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    parser.add_argument("--show", action="store_true", help="print what the programs print")
    parser.add_argument("--ranks", metavar="N", help="run distributed programs on this many ranks")
    options = parser.parse_intermixed_args()
    if options.write and (options.names or not (options.oracle or options.ranks)):
        parser.error("--write needs all programs, and --oracle or --ranks")
    if options.ranks and options.oracle:
        parser.error("--ranks runs on opforge alone")
    ours = [sys.executable, "-m", "opforge.mxnet", "--numpy-aliases"]
    if options.ranks:
        ours = ["mpiexec", "-n", options.ranks, *ours]
    chosen = [
        row
        for row in programs()
        if row.get("ranks", False) == bool(options.ranks)
        and (not options.names or any(n in row["path"] for n in options.names))
    ]
    rows, failed, totals = [], 0, [0.0, 0.0]
    with tempfile.TemporaryDirectory() as scratch:
        files = Path(scratch) / "files"
        make_files(files)
        copies = {}
        for name in ("opforge", "mxnet"):
            copies[name] = Path(scratch) / name
            copy_sources(options.sources.resolve(), files, copies[name])
        for program in chosen:
            mine = run(program, ours, files, copies["opforge"])
            other = (
                run(program, [options.oracle], files, copies["mxnet"]) if options.oracle else None
            )
            line = row(program, mine, other)
            rows.append(line)
            if other is not None and not mine.status and not other.status:
                totals[0] += mine.seconds
                totals[1] += other.seconds
            if mine.status and "fails" not in program:
                failed += 1
            print(line, flush=True)
            if options.show:
                print(mine.output, "=" * 20, other.output if other else "", sep="\n")
    if options.oracle:
        print(
            f"together {totals[0]:.0f} s, MXNet {totals[1]:.0f} s: "
            f"{totals[0] / max(totals[1], 1e-9):.2f}"
        )
    if options.write and options.ranks:
        write_table(PAGE, BEGIN_RANKS, END_RANKS, ["| program | seconds |", "|---|---|", *rows])
    elif options.write:
        head = ["| program | seconds | MXNet | numbers |", "|---|---|---|---|"]
        foot = f"| all that run on both | {totals[0]:.0f} | {totals[1]:.0f} | - |"
        write_table(PAGE, BEGIN, END, [*head, *rows, foot])
    return 1 if failed else 0


def row(program: dict[str, Any], mine: Outcome, other: Outcome | None) -> str:
    """Return the row of a program in the table."""
    name = program["path"].removeprefix("example/").removeprefix("docs/python_docs/python/")
    seen = f"{mine.seconds:.1f}" if not mine.status else program.get("fails", f"**{why(mine)}**")
    if other is None:
        return f"| {name} | {seen} |"
    if other.status:
        theirs = program.get("oracle_fails", why(other))
        return f"| {name} | {seen} | {theirs} | - |"
    numbers = "-" if mine.status else comparison(mine, other)
    if numbers not in ("-", "equal") and "numbers" in program:
        numbers += f": {program['numbers']}"
    return f"| {name} | {seen} | {other.seconds:.1f} | {numbers} |"


if __name__ == "__main__":
    sys.exit(main())
