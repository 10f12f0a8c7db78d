"""Code shared by the benchmark programs of several libraries."""

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = [
    "CLASSES",
    "RESIDUALS",
    "Names",
    "chain",
    "labels",
    "shuffled",
    "twelve_operators",
    "twenty_operators",
]

Names = dict[str, Any]
#: Number of classes in the networks' data.
CLASSES = 10
#: Channels and stride of each residual block of ResNet-18.
RESIDUALS = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))


def labels(batch: int) -> Any:
    """Return a class for each sample of a batch."""
    return np.random.default_rng(0).integers(0, CLASSES, batch)


def shuffled(most: int) -> list[int]:
    """Return the numbers from 1 to `most` in a fixed random order."""
    return [int(n) + 1 for n in np.random.default_rng(0).permutation(most)]


def twelve_operators(library: Any, a: Any) -> Any:
    """Return twelve elementwise operators, one after the other."""
    x = (a - 0.5) * 2
    x = library.exp(-x * x)
    x = library.tanh(x + 0.1)
    x = library.sigmoid(x) * x
    return x * 0.5 + a


def twenty_operators(library: Any, custom: Any, x: Any) -> Any:
    """Return the result of twenty operators with `custom` in the middle."""
    y = library.tanh(x * 2 + 1) - x
    y = library.exp(-y * y) * x + y
    y = custom(library.sigmoid(y))
    y = library.tanh(y * 0.5 + x) - 0.5
    y = library.sqrt(y * y + 1) * x
    return library.sigmoid(y) + x


def chain(names: Mapping[str, Any]) -> Names:
    """Return `twelve_operators` as the name that cases use."""
    return {"chain": twelve_operators}
