"""Command ``opforge bench detection``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge.plugin_api import benchmarks

from . import cases

__all__ = ["main"]


def main(arguments: Sequence[str]) -> Any:
    """Run the benchmark; return status 0 after printing JSON, or sheets.

    Parameters
    ----------
    arguments : list of str
        Arguments after ``opforge bench detection``.
    """
    about = "Measure object detection operators on arrays of realistic sizes."
    options = benchmarks.parser("detection", about).parse_args(arguments)
    report = benchmarks.measure(options, cases, Path())  # no case reads a file
    return benchmarks.shown(report, options.json)
