"""Benchmarks of plugins: cases defined in a file, run with opforge and a peer, mostly MXNet.

The file is imported by interpreters that may lack opforge and may be an old Python, so it
imports neither library: it defines ``CASES``, which maps the name of a case to a dictionary with

- ``"prepare"``: a function of the library (``mx``) and a folder, which returns the function that is
  timed; a library without ``nd.waitall`` must return complete results;
- ``"group"``: the heading of the case in tables;
- ``"target"``: the highest acceptable ratio of opforge's time to the peer's, or None;
- ``"count"`` and ``"items"``, both or neither: number and name of items per call, e.g. 256 and
  ``"images"``.

It may also define ``SHARES`` for figures other than times, a name to a dictionary with
``"measure"``, a function of library and folder that returns a share, and ``"target"``, the highest
acceptable share.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import methodcaller
from pathlib import Path
from types import ModuleType
from typing import Any

from opforge.base.errors import OpforgeError

from . import comparison, machine
from .processes import Child, Failure, environment
from .reports import Sheet, seconds, sheets

__all__ = ["Sheet", "measure", "parser", "seconds", "shown"]

_WORKER = str(Path(__file__).with_name("peer_worker.py"))


def parser(name: str, about: str, peers: Sequence[str] = ("mxnet",)) -> argparse.ArgumentParser:
    """Return the parser of ``opforge bench <name>``, with the arguments that `measure` reads.

    Parameters
    ----------
    name : str
        Name of the entry point.
    about : str
        What is measured.
    peers : sequence of str
        Modules that the cases can be run with besides opforge.
    """
    made = argparse.ArgumentParser(f"opforge bench {name}", description=about)
    made.add_argument(
        "--only",
        default="",
        metavar="REGEX",
        help="regular expression that the name of a case must contain",
    )
    made.add_argument("--against", choices=tuple(peers), help="the library to compare with")
    for peer in peers:
        made.add_argument(
            f"--{peer}-python",
            default=sys.executable,
            metavar="PYTHON",
            help=f"the interpreter with {peer}; default: this one",
        )
    made.add_argument("--threads", type=int, default=0, help="of one operator; default: all cores")
    made.add_argument(
        "--rounds", type=int, default=comparison.ROUNDS, help="for each case, in turn; default: 11"
    )
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def measure(
    given: argparse.Namespace,
    cases: ModuleType,
    folder: Path,
    report: Callable[[str], object] = lambda name: None,
) -> dict[str, Any]:
    """Measure the cases of a file in alternating rounds, each library in a separate process.

    Parameters
    ----------
    given : argparse.Namespace
        What `parser` gave.
    cases : module
        The file, imported.
    folder : Path
        Folder with the files prepared for the cases.
    report : callable
        Called with the name of each case before it is measured.

    Returns
    -------
    dict
        A report, which `shown` shows and JSON can carry.

    Raises
    ------
    OpforgeError
        No case matches, or the interpreter or library does not exist.
    """
    asked = getattr(cases, "SHARES", {})
    names = _choose_cases(given.only, {**cases.CASES, **asked})
    threads = given.threads or machine.default_threads()
    peers = [given.against] if given.against else []
    pythons = {"opforge": sys.executable}
    pythons |= {name: getattr(given, f"{name}_python") for name in peers}
    versions = {name: _version(name, pythons[name]) for name in peers}

    def start(library: str) -> Child:
        command = [pythons[library], _WORKER, str(cases.__file__), library, str(folder)]
        return Child(library, command, threads)

    libraries = ["opforge", *peers]
    rows, shares = [], []
    with comparison.Team(start) as team:
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
        "asked": given.against or "mxnet",
        "rows": rows,
        "shares": shares,
    }


def shown(report: dict[str, Any], as_json: bool) -> int | list[Sheet]:
    """Print JSON and return status 0, or return the tables, as the entry point's function must."""
    if not as_json:
        return sheets(report)
    print(json.dumps(report, indent=2))
    return 0


def _choose_cases(only: str, cases: Mapping[str, Any]) -> list[str]:
    try:
        chosen = [name for name in cases if re.search(only, name)]
    except re.error as error:
        raise OpforgeError(f"--only {only!r} is not a valid regular expression: {error}") from None
    if not chosen:
        raise OpforgeError(f"--only {only!r} matches no case; there are {', '.join(cases)}")
    return chosen


def _version(library: str, python: str) -> str:
    """Return the library's version in an interpreter."""
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
            f"{python} cannot import {library} ({''.join(why)}); select another interpreter with "
            f"--{library}-python"
        )
    return done.stdout.strip()


def _share(
    name: str, target: float | None, libraries: Iterable[str], start: Callable[[str], Child]
) -> comparison.Row:
    """Return the share of each library, measured in a new process."""
    row: comparison.Row = {"name": name, "target": target}
    for library in libraries:
        with start(library) as process:
            try:
                row[library] = process.ask({"do": "share", "name": name})
            except Failure as failure:
                row[library] = failure.as_row()
    return row


def _row(name: str, case: Mapping[str, Any], figures: dict[str, comparison.Row]) -> comparison.Row:
    own = figures.get("opforge", {}).get("median")
    row: comparison.Row = {
        "name": name,
        "group": case["group"],
        "target": case["target"],
        "target_share": None,
        **figures,
        "ratios": comparison.ratios(figures),
        "bytes_per_second": None,
        "flops_per_second": None,
    }
    if own and "items" in case:
        row |= {"items": case["items"], "items_per_second": case["count"] / own}
    return row
