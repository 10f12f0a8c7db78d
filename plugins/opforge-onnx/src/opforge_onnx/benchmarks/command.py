"""Command ``opforge bench engines``."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opforge.plugin_api import benchmarks

from . import cases

__all__ = ["main"]


def main(arguments: Sequence[str]) -> Any:
    """Run the benchmark; return status 0 after printing JSON, or sheets.

    Parameters
    ----------
    arguments : list of str
        Arguments after ``opforge bench engines``.
    """
    about = "Measure predictions of whole networks, and dense layers of many shapes."
    options = benchmarks.parser("engines", about, ("onnxruntime",)).parse_args(arguments)
    with TemporaryDirectory() as folder:
        files = Path(folder) if options.against else cases.NO_FILES
        report = benchmarks.measure(options, cases, files)
    return benchmarks.shown(report, options.json)
