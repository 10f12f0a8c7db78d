"""Samples with another number of rows: zero, or enough for several threads."""

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from opforge.base.errors import OpforgeError

from .sample import Sample
from .subject import OperatorSubject

__all__ = ["candidates", "rebatched"]

#: Maximum number of elements of all outputs together.
_MOST = 2**23


def rebatched(subject: OperatorSubject, sample: Sample, elements: int) -> Sample | None:
    """Return a sample whose first input has about `elements` elements; None if that is impossible.

    Its values repeat those of `sample`, so they are equally valid.
    """
    row = prod(sample.shapes[0][1:]) if sample.inputs else 0
    if not row:
        return None
    for candidate in candidates(sample, max(1, elements // row)):
        try:
            inferred = subject.inferred(candidate, subject.dtype)
        except OpforgeError:
            continue
        if sum(prod(shape) for shape in inferred.out_shapes) <= _MOST:
            return candidate
    return None


def candidates(sample: Sample, rows: int) -> list[Sample]:
    """Return `sample` with `rows` rows in the first input, or in all with as many as it.

    Which of the two is valid depends on the operator.
    """
    if not sample.inputs or not sample.shapes[0]:
        return []
    old = sample.shapes[0][0]
    together = [bool(shape) and shape[0] == old for shape in sample.shapes]
    alone = [position == 0 for position in range(len(together))]
    choices = [together] if together == alone else [together, alone]
    return [
        replace(
            sample,
            inputs=[
                _with_rows(item, rows) if chosen else item
                for item, chosen in zip(sample.inputs, choice, strict=True)
            ],
        )
        for choice in choices
    ]


def _with_rows(array: Any, rows: int) -> Any:
    return np.resize(array, (rows, *array.shape[1:])).astype(array.dtype)
