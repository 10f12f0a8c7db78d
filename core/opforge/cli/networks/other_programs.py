"""`run_there`: results of all layers by the program of a file's format, or by opforge."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ... import exporter
from .files import exporter_of, read
from .running import run

__all__ = ["run_there"]


def run_there(
    path: Path, inputs: Mapping[str, np.ndarray], params: Path | None = None
) -> Mapping[str, np.ndarray]:
    """Return the results of all layers by name; a graph may need the file of its parameters."""
    if path.suffix != ".json":
        found = exporter_of(path)
        if type(found).run is not exporter.Exporter.run:
            return found.run(path, inputs)
    return run(read(path, params), inputs, layers=True)
