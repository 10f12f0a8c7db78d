"""What the programs of all libraries share; those of each stand in a module that imports it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["CLASSES", "Names", "chain", "labels"]

Names = dict[str, Any]
#: Classes of the perceptron's data.
CLASSES = 10


def labels(batch: int) -> Any:
    """Return a class for each sample of a batch."""
    return np.random.default_rng(0).integers(0, CLASSES, batch)


def chain(names: Mapping[str, Any]) -> Names:
    """Return twelve elementwise operators, one after the other."""

    def chain(library: Any, a: Any) -> Any:
        x = (a - 0.5) * 2
        x = library.exp(-x * x)
        x = library.tanh(x + 0.1)
        x = library.sigmoid(x) * x
        return x * 0.5 + a

    return {"chain": chain}
