"""`Input`: an input to export with, and the sizes of larger ones, which show what changes."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from opforge.plugin_api import OpforgeError

from ..errors import ExportError
from .sources import Network
from .types import types_of
from .value import Value

__all__ = ["Input", "values_of"]

#: Each name of a size grows by another factor, so that sizes of the graph show which they follow.
_FACTORS = (2, 3, 5, 7, 11, 13)
_EQUAL_FACTORS = (2,)


class Input:
    """Input of a network: shape and dtype to export with, and which of its sizes may change.

    Parameters
    ----------
    shape : tuple of int
    dtype : dtype
    sizes : sequence of int, str or None
        The shape as the file has it: a text names a size that may change; None is one without a
        name.
    """

    def __init__(self, shape: Sequence[int], dtype: Any, sizes: Sequence[Any]) -> None:
        self.shape = tuple(int(size) for size in shape)
        self.dtype = np.dtype(dtype)
        self.sizes = tuple(sizes)
        if len(self.sizes) != len(self.shape):
            raise ExportError(
                f"export to ONNX: the dynamic shape {self.sizes} has {len(self.sizes)} dimensions, "
                f"the shape {self.shape} has {len(self.shape)}"
            )

    def labels(self) -> list[Any]:
        """Return the label of each axis: the name of a size that may change; None for fixed ones.

        A size without a name has the index of its axis as a label.
        """
        return [
            None if isinstance(size, int) else axis if size is None else size
            for axis, size in enumerate(self.sizes)
        ]


def values_of(network: Network, names: Sequence[str], inputs: Sequence[Input]) -> dict[str, Value]:
    """Return the inputs as values by name, with the shapes of larger inputs.

    Raises
    ------
    ExportError
        The network does not take larger inputs.
    """
    values = _grow(names, inputs, _FACTORS)
    if all(value.larger is None for value in values.values()):
        return values
    try:
        _infer_larger(network, values)
    except OpforgeError:
        values = _grow(names, inputs, _EQUAL_FACTORS)  # it may need equal sizes
        try:
            _infer_larger(network, values)
        except OpforgeError as error:
            raise ExportError(
                f"export to ONNX: the network does not take other sizes of its inputs ({error}); "
                "export it with fixed ones"
            ) from error
    return values


def _grow(
    names: Sequence[str], inputs: Sequence[Input], factors: Sequence[int]
) -> dict[str, Value]:
    """Return values whose sizes that may change grow by a factor for each label."""
    labels = {label: None for given in inputs for label in given.labels() if label is not None}
    growth = {None: 1, **dict(zip(labels, cycle(factors), strict=False))}
    return {
        name: Value(name, given.shape, given.dtype, _larger(given, growth))
        for name, given in zip(names, inputs, strict=True)
    }


def _larger(given: Input, growth: Mapping[Any, int]) -> tuple[int, ...] | None:
    """Return the shape of a larger input; None if all sizes are fixed."""
    labels = given.labels()
    if all(label is None for label in labels):
        return None
    return tuple(size * growth[label] for size, label in zip(given.shape, labels, strict=True))


def _infer_larger(network: Network, values: Mapping[str, Value]) -> None:
    """Raise an error if the network does not take the larger inputs."""
    shapes = {name: array.shape for name, array in network.weights.items()}
    shapes.update({name: value.larger or value.shape for name, value in values.items()})
    types_of(network.symbol, shapes, {name: value.dtype for name, value in values.items()})
