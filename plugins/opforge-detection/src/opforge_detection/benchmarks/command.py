"""The command itself."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opforge.plugin_api import benchmarks

from . import cases

__all__ = ["main"]


def main(arguments: Sequence[str]) -> Any:
    """Measure; return status 0 behind JSON, or sheets.

    Parameters
    ----------
    arguments : list of str
        What stands behind ``opforge bench detection``.
    """
    about = "Measure operators of object detection on arrays of the sizes that detectors have."
    given = benchmarks.parser("detection", about).parse_args(arguments)
    report = benchmarks.measure(given, cases, Path())  # no case reads a file
    return benchmarks.shown(report, given.json)
