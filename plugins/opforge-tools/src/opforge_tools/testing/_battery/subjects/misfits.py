"""Samples whose inputs do not fit together: one of them has another length along one axis."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .sample import Sample

__all__ = ["misfits"]

#: Beside one more than there are: nothing, one, and more than vector instructions take at once.
_LENGTHS = (0, 1, 17)


def misfits(sample: Sample, count: int) -> Iterator[Sample]:
    """Give the sample with each of the first `count` inputs changed along each axis.

    Values repeat those of the sample. An operator may take what is given, by broadcasting for
    instance; it must not read or write where there is nothing.
    """
    for position, item in enumerate(sample.inputs[:count]):
        for axis, length in enumerate(item.shape):
            for other in sorted({*_LENGTHS, length + 1} - {length}):
                shape = (*item.shape[:axis], other, *item.shape[axis + 1 :])
                inputs = list(sample.inputs)
                # A source without elements has none that could be repeated.
                source = item if item.size else np.zeros(1, item.dtype)
                inputs[position] = np.resize(source, shape).astype(item.dtype)
                yield replace(sample, inputs=inputs)
