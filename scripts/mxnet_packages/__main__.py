"""Run the own tests of packages for MXNet on opforge, and write what was seen to a page.

    python scripts/mxnet_packages SOURCES [NAME ...] [--write]

SOURCES is a folder with the sources of the packages, in the folders that packages.toml names: the
unpacked source distributions, and clones where these have no tests. ``tox -e clients -- SOURCES``
installs the packages. Each runs in a process of its own by ``python -m opforge.mxnet``. A failure
without a reason in packages.toml makes the status 1; ``--write`` writes the table to the page.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from page_table import write_table  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "howto" / "mxnet-programs.md"
#: Comments of the page around the table.
BEGIN, END = "<!-- packages: written by scripts/mxnet_packages -->", "<!-- end of packages -->"
OPTIONS = ["-q", "-p", "no:cacheprovider", "--tb=short", "--continue-on-collection-errors"]


@dataclass
class Result:
    """Outcome of the tests of one package."""

    passed: int = 0
    skipped: int = 0
    #: Reason -> number of tests.
    reasons: Counter[str] = field(default_factory=Counter)
    #: Names and errors of tests that failed without a known reason.
    unknown: list[str] = field(default_factory=list)


def run(package: dict[str, Any], sources: Path) -> Result:
    """Run the tests of a package, and return their outcome."""
    folder = sources / package["source"]
    if not folder.is_dir():
        raise SystemExit(f"{package['name']}: the folder {folder} does not exist; see --help")
    settings = {**os.environ, "PYTHONWARNINGS": "ignore", **package.get("environment", {})}
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        own = [*package["tests"], *package.get("options", ())]
        place = ["-c", os.devnull, "--rootdir", ".", f"--junitxml={report}"]
        command = [sys.executable, "-m", "opforge.mxnet", "--numpy-aliases", "-m", "pytest"]
        done = subprocess.run(
            [*command, *own, *OPTIONS, *place],
            cwd=folder,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if not report.exists():
            raise SystemExit(f"{package['name']}: no report was written\n{done.stdout[-4000:]}")
        return outcome(ElementTree.parse(report).iter("testcase"), package.get("failures", {}))


def outcome(cases: Any, reasons: dict[str, str]) -> Result:
    """Return the outcome of the cases of a report."""
    result = Result()
    for case in cases:
        wrong = [part for part in case if part.tag in ("failure", "error")]
        if wrong:
            # The last lines are the error, and those before may quote the source of the test.
            lines = f"{wrong[0].get('message', '')}\n{wrong[0].text or ''}".splitlines()
            error = "\n".join(line for line in lines if not line.startswith("    "))
            known = (why for pattern, why in reasons.items() if re.search(pattern, error))
            why = next(known, None)
            if why is None:
                result.unknown.append(
                    f"{case.get('classname')}::{case.get('name')}: {error[-300:]}"
                )
            else:
                result.reasons[why] += 1
        elif any(part.tag == "skipped" for part in case):
            result.skipped += 1
        else:
            result.passed += 1
    return result


def row(package: dict[str, Any], result: Result) -> str:
    """Return the row of a package in the table."""
    others = [f"{count}: {why}" for why, count in result.reasons.most_common()]
    if result.unknown:
        others.append(f"{len(result.unknown)}: unknown")
    return (
        f"| {package['name']} {package['version']} | {result.passed:,} | "
        f"{sum(result.reasons.values()) + len(result.unknown)} | {'; '.join(others) or '-'} |"
    )


def main() -> int:
    """Run the tests of the chosen packages; return 1 if one failed without a known reason."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", type=Path, metavar="SOURCES")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all packages")
    parser.add_argument("--write", action="store_true", help="write the table to the page")
    options = parser.parse_args()
    packages = tomllib.loads((HERE / "packages.toml").read_text(encoding="utf-8"))["packages"]
    unknown_names = set(options.names) - {package["name"] for package in packages}
    if unknown_names:
        parser.error(f"packages.toml has no {', '.join(sorted(unknown_names))}")
    if options.write and options.names:
        parser.error("--write needs all packages")
    rows, unknown = [], []
    for package in packages:
        if options.names and package["name"] not in options.names:
            continue
        began = time.monotonic()
        result = run(package, options.sources.resolve())
        rows.append(row(package, result))
        unknown += result.unknown
        print(rows[-1], f"{time.monotonic() - began:.0f} s", flush=True)
        for one in result.unknown:
            print("   ", one, flush=True)
    if options.write:
        head = ["| package | tests that pass | others | why |", "|---|---|---|---|"]
        write_table(PAGE, BEGIN, END, [*head, *rows])
    return int(bool(unknown))


if __name__ == "__main__":
    sys.exit(main())
