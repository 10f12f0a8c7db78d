"""Command ``opforge bench training``."""

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
        Arguments after ``opforge bench training``.
    """
    about = (
        "Measure epochs of LeNet on arrays of Fashion-MNIST's shape, in a loop and by an "
        "Estimator, and what the Estimator adds to the time of the loop."
    )
    options = benchmarks.parser("training", about).parse_args(arguments)
    with TemporaryDirectory() as folder:
        report = benchmarks.measure(options, cases, Path(folder))
    return benchmarks.shown(report, options.json)
