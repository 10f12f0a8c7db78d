"""Benchmarks of plugins: cases in a file, run by opforge and by MXNet.

The file is imported by an interpreter that may have neither opforge nor a new Python, and so
imports neither library: it has the dictionary ``CASES``, name of a case to a dictionary with

- ``"prepare"``: a function of the library (``mx``) and a folder, which returns the function that is
  timed;
- ``"group"``: the heading that it stands under;
- ``"target"``: the highest ratio of opforge's time to MXNet's that is good enough, or None;
- ``"count"`` and ``"items"``, both or none: how many of what one call makes, for instance 256 and
  ``"pictures"``.

It may have a dictionary ``SHARES`` too, of what is no time: a name to a dictionary with
``"measure"``, a function of library and folder that returns a share, and ``"target"``, the highest
that is good enough.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from operator import methodcaller
from pathlib import Path
from types import ModuleType
from typing import Any

from opforge.base.errors import OpforgeError

from . import comparing, machine
from .processes import Child, Failure, environment
from .reports import Sheet, seconds, sheets

__all__ = ["Sheet", "measure", "parser", "seconds", "shown"]

_WORKER = str(Path(__file__).with_name("peer_worker.py"))
_PEERS = ("mxnet",)


def parser(name: str, about: str) -> argparse.ArgumentParser:
    """Return the parser of ``opforge bench <name>``, with the arguments that `measure` reads.

    Parameters
    ----------
    name : str
        Of the entry point.
    about : str
        What is measured.
    """
    made = argparse.ArgumentParser(f"opforge bench {name}", description=about)
    made.add_argument("--only", default="", metavar="REGEX", help="cases whose name it is found in")
    made.add_argument("--against", choices=_PEERS, help="the library to compare with")
    made.add_argument(
        "--mxnet-python",
        default=sys.executable,
        metavar="PYTHON",
        help="the interpreter that has MXNet; default: this one",
    )
    made.add_argument("--threads", type=int, default=0, help="of one operator; default: all cores")
    made.add_argument(
        "--rounds", type=int, default=comparing.ROUNDS, help="for each case, in turn; default: 11"
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def measure(
    given: argparse.Namespace,
    cases: ModuleType,
    folder: Path,
    report: Callable[[str], object] = lambda name: None,
) -> dict[str, Any]:
    """Measure the cases of a file, each library in a process of its own, in turns.

    Parameters
    ----------
    given : argparse.Namespace
        What `parser` gave.
    cases : module
        The file, imported.
    folder : Path
        Where the cases find what was prepared for them.
    report : callable
        Told the name of each case before it is measured.

    Returns
    -------
    dict
        A report, which `shown` shows and JSON can carry.

    Raises
    ------
    OpforgeError
        No case has such a name, or there is no such interpreter or library.
    """
    asked = getattr(cases, "SHARES", {})
    names = _chosen(given.only, {**cases.CASES, **asked})
    threads = given.threads or machine.default_threads()
    peers = [given.against] if given.against else []
    pythons = {"opforge": sys.executable, "mxnet": given.mxnet_python}
    versions = {name: _version(name, pythons[name]) for name in peers}

    def start(library: str) -> Child:
        command = [pythons[library], _WORKER, str(cases.__file__), library, str(folder)]
        return Child(library, command, threads)

    libraries = ["opforge", *peers]
    rows, shares = [], []
    with comparing.Team(start) as team:
        for name in names:
            report(name)
            if name in asked:
                shares.append(_share(name, asked[name]["target"], libraries, start))
                continue
            prepare = methodcaller("ask", {"do": "prepare", "name": name})
            found = team.measure(libraries, prepare, given.rounds)
            rows.append(_row(name, cases.CASES[name], found))
    described = machine.describe(("opforge",), threads)
    described["versions"] |= versions
    return {
        "kind": "cases",
        "machine": described,
        "peers": peers,
        "asked": "mxnet",
        "rows": rows,
        "shares": shares,
    }


def shown(report: dict[str, Any], as_json: bool) -> int | list[Sheet]:
    """Return what the function under the entry point returns: status 0 behind JSON, or sheets."""
    if not as_json:
        return sheets(report)
    print(json.dumps(report, indent=2))
    return 0


def _chosen(only: str, cases: Mapping[str, Any]) -> list[str]:
    try:
        chosen = [name for name in cases if re.search(only, name)]
    except re.error as error:
        raise OpforgeError(f"--only {only!r} is no regular expression: {error}") from None
    if not chosen:
        raise OpforgeError(f"--only {only!r} matches no case; there are {', '.join(cases)}")
    return chosen


def _version(library: str, python: str) -> str:
    """Return the version that an interpreter has."""
    try:
        done = subprocess.run(
            [python, "-c", f"import {library}; print({library}.__version__)"],
            env=environment(python),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise OpforgeError(f"--{library}-python {python!r} does not start: {error}") from error
    if done.returncode:
        why = done.stderr.strip().splitlines()[-1:]
        raise OpforgeError(
            f"{python} cannot import {library} ({''.join(why)}); name an interpreter that can by "
            f"--{library}-python"
        )
    return done.stdout.strip()


def _share(
    name: str, target: float | None, libraries: Iterable[str], start: Callable[[str], Child]
) -> comparing.Row:
    """Return the share that each library has, in a new process: nothing else runs beside it."""
    row: comparing.Row = {"name": name, "target": target}
    for library in libraries:
        with start(library) as process:
            try:
                row[library] = process.ask({"do": "share", "name": name})
            except Failure as failure:
                row[library] = failure.as_row()
    return row


def _row(name: str, case: Mapping[str, Any], figures: dict[str, comparing.Row]) -> comparing.Row:
    own = figures.get("opforge", {}).get("median")
    row: comparing.Row = {
        "name": name,
        "group": case["group"],
        "target": case["target"],
        "target_share": None,
        **figures,
        "ratios": comparing.ratios(figures),
        "bytes_per_second": None,
        "flops_per_second": None,
    }
    if own and "items" in case:
        row |= {"items": case["items"], "items_per_second": case["count"] / own}
    return row
