"""Check of slices of larger arrays as inputs and as ``out``."""

from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_views"]

_AROUND = 7.0


def check_views(subject: OperatorSubject) -> int:
    """Pass slices as inputs and as ``out``; check results and surrounding memory."""
    count = 0
    for sample in subject.samples:
        arrays = sample.arrays(subject.dtype)
        if not any(array.ndim and array.size for array in arrays):
            continue
        with autograd.predict_mode():
            want = subject.outputs(sample, subject.dtype)
            given = [nd.array(array, dtype=array.dtype) for array in arrays]
            sliced = [_slice_of(array)[1] if array.ndim else nd.array(array) for array in arrays]
            have = [item.asnumpy() for item in subject.call(nd, sample, sliced)]
            _compare(have, want, f"{sample}, inputs that are slices")
            wholes, targets = zip(
                *[
                    _slice_of(np.zeros_like(item)) if item.ndim else (None, nd.array(item))
                    for item in want
                ],
                strict=True,
            )
            out = targets[0] if len(targets) == 1 else list(targets)
            subject.call(nd, sample, given, out=out)
            _compare([item.asnumpy() for item in targets], want, f"{sample}, out= slices")
        for whole in wholes:
            if whole is not None:
                rest = whole.asnumpy()
                if not ((rest[0] == _AROUND).all() and (rest[-1] == _AROUND).all()):
                    raise AssertionError(f"{sample}: writing to out= changed the memory around it")
        count += 1
    if not count:
        raise NotApplicable("no sample has an input with elements")
    return count


def _slice_of(array: Any) -> tuple[Any, Any]:
    """Return a larger array and its slice that holds `array`."""
    edge = np.full((1, *array.shape[1:]), _AROUND, array.dtype)
    whole = nd.array(np.concatenate([edge, array, edge]), dtype=array.dtype)
    return whole, whole[1 : len(array) + 1]


def _compare(have: list[Any], want: list[Any], where: str) -> None:
    for position, (a, b) in enumerate(zip(have, want, strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=f"{where}: output {position}")
