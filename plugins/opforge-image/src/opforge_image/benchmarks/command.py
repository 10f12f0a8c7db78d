"""The command itself."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opforge.plugin_api import benchmarks

from . import cases, images

__all__ = ["main"]


def main(arguments: Sequence[str]) -> Any:
    """Measure; return status 0 behind JSON, or sheets.

    Parameters
    ----------
    arguments : list of str
        What stands behind ``opforge bench image``.
    """
    about = (
        "Measure record files and what ImageRecordIter makes of them, and how long a network that "
        "is trained on one waits for it."
    )
    given = benchmarks.parser("image", about).parse_args(arguments)
    with TemporaryDirectory() as folder:
        images.write(Path(folder))
        report = benchmarks.measure(given, cases, Path(folder))
    return benchmarks.shown(report, given.json)
