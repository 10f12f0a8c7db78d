"""Mismatched samples: one input has a different length along one axis."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .sample import Sample

__all__ = ["misfits"]

#: Lengths in addition to one more: zero, one, and more than a vector register holds.
_LENGTHS = (0, 1, 17)


def misfits(sample: Sample, count: int) -> Iterator[Sample]:
    """Yield the sample with each of the first `count` inputs changed along each axis.

    Values repeat those of the sample. An operator may accept the inputs, for instance by
    broadcasting, but must not access memory outside the arrays.
    """
    for position, item in enumerate(sample.inputs[:count]):
        for axis, length in enumerate(item.shape):
            for other in sorted({*_LENGTHS, length + 1} - {length}):
                shape = (*item.shape[:axis], other, *item.shape[axis + 1 :])
                inputs = list(sample.inputs)
                # An empty source has no elements to repeat.
                source = item if item.size else np.zeros(1, item.dtype)
                inputs[position] = np.resize(source, shape).astype(item.dtype)
                yield replace(sample, inputs=inputs)
