"""Command ``opforge bench image``."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opforge.plugin_api import benchmarks

from . import cases, images

__all__ = ["main"]


def main(arguments: Sequence[str]) -> Any:
    """Run the benchmark; return status 0 after printing JSON, or sheets.

    Parameters
    ----------
    arguments : list of str
        Arguments after ``opforge bench image``.
    """
    about = (
        "Measure record files, ImageRecordIter, and how long a network that is trained on a "
        "record file waits for data."
    )
    options = benchmarks.parser("image", about).parse_args(arguments)
    with TemporaryDirectory() as folder:
        images.write(Path(folder))
        report = benchmarks.measure(options, cases, Path(folder))
    return benchmarks.shown(report, options.json)
