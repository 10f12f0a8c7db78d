"""Check of `keeps_order`: outputs must be the concatenated elements of the inputs.

Compiled graphs let inputs and results share memory and omit the call, so a wrong declaration gives
wrong numbers without an error.
"""

from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd
from opforge.base.dtypes import NAMES

from ...subjects.sample import Sample
from ...subjects.subject import OperatorSubject
from ..check import NotApplicable

__all__ = ["check_kept_order"]

_ELSE = "return False for these shapes, or remove keeps_order"


def check_kept_order(subject: OperatorSubject) -> int:
    """Compare each sample for which keeps_order is true, in training and in prediction mode."""
    count = 0
    for sample in subject.samples:
        prop = subject.prop(sample)
        if getattr(prop, "keeps_order", None) is None:
            continue
        for dtype in subject.dtypes:
            inferred = subject.inferred(sample, dtype)
            if prop.keeps_order(inferred.in_shapes):
                shapes = ", ".join(map(str, inferred.in_shapes))
                where = f"keeps_order is true for inputs of shapes {shapes}"
                _expect_one_type(inferred, where)
                for is_train in (False, True):
                    _compare(subject, sample, dtype, is_train, where)
                count += 1
    if not count:
        raise NotApplicable("keeps_order is not true for any sample")
    return count


def _expect_one_type(inferred: Any, where: str) -> None:
    """Raise if inputs and outputs cannot share memory."""
    n_inputs, n_outputs = len(inferred.in_shapes), len(inferred.out_shapes)
    if 1 not in (n_inputs, n_outputs):
        raise AssertionError(
            f"{where}: got {n_inputs} inputs and {n_outputs} outputs, expected one input or "
            f"one output; {_ELSE}"
        )
    names = [NAMES[code] for code in (*inferred.in_codes, *inferred.out_codes)]
    if len(set(names)) != 1:
        raise AssertionError(
            f"{where}: inputs and outputs have dtypes {', '.join(names)}, expected one; {_ELSE}"
        )


def _compare(
    subject: OperatorSubject, sample: Sample, dtype: str, is_train: bool, where: str
) -> None:
    """Call the operator with distinct numbers."""
    arrays, begin = [], 1
    for item in sample.arrays(dtype):
        numbers = np.arange(begin, begin + item.size).reshape(item.shape)
        arrays.append(nd.array(numbers, dtype=item.dtype))
        begin += item.size
    with autograd.train_mode() if is_train else autograd.predict_mode():
        results = subject.call(nd, sample, arrays)
    arguments = arrays[: len(arrays) - subject.n_states(sample)]
    have, want = (np.concatenate([x.asnumpy().ravel() for x in xs]) for xs in (results, arguments))
    if len(have) != len(want):
        raise AssertionError(
            f"{where}: the outputs have {len(have)} elements, expected {len(want)} as the inputs; "
            f"{_ELSE}"
        )
    wrong = np.flatnonzero(have != want)
    if wrong.size != 0:
        raise AssertionError(
            f"{where}: element {wrong[0]} of the outputs, concatenated, is {have[wrong[0]]}, "
            f"expected {want[wrong[0]]} as in the inputs ({len(wrong)} of {len(want)} differ, "
            f"{sample}, dtype {dtype}{', in training' if is_train else ''}); {_ELSE}"
        )
