"""`host->gemm`: all variants of products match NumPy, and invalid ones are rejected."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import nd
from opforge.base.dtypes import code_of, dtype_of, element_type
from opforge.base.errors import OperatorError

from .declarations import registered
from .heavy import declare_heavy

TOLERANCE = {"float32": 1e-5, "float64": 1e-12, "float16": 2e-2, "bfloat16": 8e-2}
TOLERANCE |= {"int32": 0, "uint8": 0}


@pytest.fixture(scope="module", autouse=True)
def operators(heavy):
    with registered(declare_heavy(heavy), "abi-heavy"):
        yield


def stored(rng, count, rows, length, pad, dtype):
    """Return matrices whose rows are followed by `pad` unused elements."""
    shape = (count, rows, length + pad)
    if element_type(dtype).is_floating:
        return rng.standard_normal(shape).astype(dtype_of(code_of(dtype)))
    return rng.integers(0, 5, shape).astype(dtype)


sides = st.integers(1, 40)
products = st.fixed_dictionaries(
    {
        "m": sides,
        "n": sides,
        "k": sides,
        "count": st.integers(1, 5),
        "pads": st.tuples(*[st.sampled_from([0, 3])] * 3),
        "shared": st.booleans(),
        "dtype": st.sampled_from(list(TOLERANCE)),
        "transpose_a": st.integers(0, 1),
        "transpose_b": st.integers(0, 1),
        "alpha": st.sampled_from([1.0, 2.0]),
        "beta": st.sampled_from([0.0, 1.0, 3.0]),
        "bias_axis": st.sampled_from([-1, 0, 1]),
        "threads": st.sampled_from([0, 1]),
        "inside": st.integers(0, 1),
    }
)


def check(m, n, k, count, pads, shared, dtype, seed=0, **options):
    rng = np.random.default_rng(seed)
    ta, tb, axis = options["transpose_a"], options["transpose_b"], options["bias_axis"]
    rows_a, length_a = (k, m) if ta else (m, k)
    rows_b, length_b = (n, k) if tb else (k, n)
    a = stored(rng, 1 if shared else count, rows_a, length_a, pads[0], dtype)
    b = stored(rng, count, rows_b, length_b, pads[1], dtype)
    c = stored(rng, count, m, n, pads[2], dtype)
    if options["beta"] == 0 and element_type(dtype).is_floating:
        c[:, :, :n] = np.nan  # must not be read
    bias = stored(rng, 1, 1, n if axis == 1 else m, 0, dtype)[0, 0]
    kind = np.float64 if element_type(dtype).is_floating else np.int64
    used_a, used_b = a[:, :, :length_a].astype(kind), b[:, :, :length_b].astype(kind)
    left = used_a.transpose(0, 2, 1) if ta else used_a
    right = used_b.transpose(0, 2, 1) if tb else used_b
    want = options["alpha"] * np.matmul(left, right)
    if options["beta"]:
        want = want + options["beta"] * c[:, :, :n].astype(kind)
    if axis >= 0:
        want = want + (bias[None, :, None] if axis == 0 else bias[None, None, :])
    arrays = [nd.array(x, dtype=dtype) for x in (a, b, c, bias)]
    found = nd.abi_gemm(*arrays, m=m, n=n, k=k, **options).asnumpy()
    np.testing.assert_array_equal(found[:, :, n:], c[:, :, n:])
    want = want.astype(kind).astype(dtype) if kind is np.int64 else want
    scale = max(np.abs(want).max(), 1) if want.size else 1
    assert np.abs(found[:, :, :n].astype(np.float64) - want).max() <= TOLERANCE[dtype] * scale


@settings(max_examples=150, deadline=None)
@given(products)
def test_products_match_numpy(case):
    check(**case)


PLAIN = {"transpose_a": 0, "transpose_b": 0, "alpha": 1.0, "beta": 0.0}


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": 1}, {"inside": 1}])
@pytest.mark.parametrize("bias_axis", [-1, 0, 1])
def test_large_products_are_divided_among_threads(options, bias_axis):
    options = {"threads": 0, "inside": 0, **options, **PLAIN, "bias_axis": bias_axis, "beta": 1.0}
    check(300, 260, 200, 3, (0, 0, 5), False, "float32", **options)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (0, "dtype must be a numeric type"),
        (1, "dtype must be a numeric type"),
        (2, "m, n, k or count is negative"),
        (3, "exceeds the 32-bit sizes of BLAS"),
        (4, "a_row, b_row or c_row is less than the length of a row"),
        (5, "exceeds the address space"),
        (6, "bias_axis must be 0"),
    ],
)
def test_invalid_products_are_rejected(what, text):
    with pytest.raises(OperatorError, match=f"abi_faults.*gemm: .*{re.escape(text)}"):
        nd.abi_faults(nd.ones((1,), dtype="float64"), what=what)


def test_empty_products():
    x = nd.ones((1,), dtype="float64")
    assert nd.abi_faults(x, what=7).asscalar() == 5, "nothing is computed"
    assert nd.abi_faults(x, what=8).asscalar() == 0, "an empty sum is 0"
