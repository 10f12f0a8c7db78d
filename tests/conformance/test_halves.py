"""Operators of plugins in 16-bit floats: accepted alike, and as exact as the type allows."""

import ml_dtypes
import numpy as np
import pytest

from opforge import MXNetError, autograd, nd, random
from opforge.base.errors import DTypeError
from opforge.op.abi import NativeOperator
from opforge.op.registry.registry import lookup

from . import plugins, vision
from .test_ways import AVAILABLE

ROWS = [
    row for row in [*plugins.ROWS, *vision.ROWS] if row.operator in AVAILABLE and row.dtypes is None
]
NATIVE = [
    row
    for row in ROWS
    if issubclass(lookup(row.operator).prop_class, NativeOperator)
    and "bfloat16" in lookup(row.operator).prop_class.dtypes
]
#: Accepted error in units of the last place of the largest element; composed operators round often.
ROUNDINGS = 16


def named(rows):
    return pytest.mark.parametrize("row", rows, ids=lambda row: f"{row.operator}-{row.attrs}")


def exact(values):
    """Return numbers that every floating type represents."""
    return np.asarray(values, "float32").astype(ml_dtypes.bfloat16).astype("float16")


def run(row, dtype, values):
    """Return results and gradients of an operator in float32; None if it rejects the type."""
    random.seed(0)
    arrays = [nd.array(value, dtype=dtype) for value in values]
    wanted = range(len(arrays) - row.n_states) if row.wanted is None else row.wanted
    for position in wanted:
        arrays[position].attach_grad()
    try:
        with autograd.record():
            results = getattr(nd, row.operator)(*arrays, **row.attrs)
    except DTypeError:
        return None
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    if wanted and lookup(row.operator).prop_class.differentiable:
        rng = np.random.default_rng(1)
        heads = [nd.array(exact(rng.normal(0, 1, y.shape)), dtype=y.dtype) for y in results]
        autograd.backward(results, heads)
    found = [*results, *(arrays[position].grad for position in wanted)]  # zeros without a gradient
    return [array.asnumpy().astype("float32") for array in found]


def compare(row, values):
    expected = run(row, "float32", values)
    half = run(row, "float16", values)
    brain = run(row, "bfloat16", values)
    assert (half is None) == (brain is None), "one of the 16-bit types is rejected"
    for dtype, found in (("float16", half), ("bfloat16", brain)):
        for have, want in zip(found or (), expected, strict=found is not None):
            finite = np.abs(want[np.isfinite(want)])
            limit = ROUNDINGS * float(ml_dtypes.finfo(dtype).eps) * max(1, finite.max(initial=0))
            np.testing.assert_allclose(have, want, rtol=0, atol=limit, err_msg=dtype)


@named(ROWS)
def test_results_and_gradients(row):
    compare(row, [exact(value) for value in row.draw("float32")])


@named(NATIVE)
@pytest.mark.parametrize("special", [np.inf, np.nan])
def test_a_special_value_in_one_element(row, special):
    values = [exact(value) for value in row.draw("float32")]
    values[0].flat[0] = special
    try:
        compare(row, values)
    except MXNetError as error:  # the operator checks its values
        assert row.operator in str(error)


#: Operators whose other inputs, lengths and labels, may differ in type from the data.
FREE = {"CTCLoss", "_CTCLoss_prediction", "SequenceMask", "SequenceLast", "SequenceReverse"}


@named([row for row in NATIVE if len(row.shapes) > 1 and row.operator not in FREE])
def test_mixed_types_are_rejected(row):
    for dtypes in (("bfloat16", "float32"), ("bfloat16", "float16"), ("float32", "bfloat16")):
        first, *others = row.draw("float32")
        given = nd.array(first, dtype=dtypes[0]), *(nd.array(x, dtype=dtypes[1]) for x in others)
        with pytest.raises(DTypeError, match=row.operator) as caught:
            getattr(nd, row.operator)(*given, **row.attrs)
        assert all(dtype in str(caught.value) for dtype in dtypes)
