"""Tests of Correlation: threads, types, empty arrays and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_detection import correlation_references

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

RNG = np.random.default_rng(0)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(*[st.integers(1, n) for n in (2, 3, 9, 9)]),
    st.sampled_from([1, 3]),
    st.integers(0, 4),
    st.integers(0, 4),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.booleans(),
)
def test_any_settings(shape, kernel, reach, pad, steps, is_multiply):
    attributes = {"kernel_size": kernel, "max_displacement": reach, "pad_size": pad}
    attributes |= {"stride1": steps[0], "stride2": steps[1], "is_multiply": is_multiply}
    arrays = [nd.array(RNG.standard_normal(shape), dtype="float64") for _ in range(2)]
    if min(shape[2:]) + 2 * pad < 2 * reach + kernel:
        with pytest.raises(ShapeError, match="do not fit"):
            nd.Correlation(*arrays, **attributes)
        return
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        out = nd.Correlation(*arrays, **attributes)
    out.backward()
    expected = correlation_references.correlation(*[x.asnumpy() for x in arrays], **attributes)
    np.testing.assert_allclose(out.asnumpy(), expected, 1e-9, 1e-12)
    if is_multiply:  # linear in both
        for x in arrays:
            np.testing.assert_allclose((x * x.grad).sum().asscalar(), expected.sum(), 1e-9, 1e-9)


@pytest.mark.parametrize("shape", [(0, 2, 4, 5), (2, 0, 4, 5)])
def test_empty_arrays(shape):
    x = nd.ones(shape)
    x.attach_grad()
    with autograd.record():
        y = nd.Correlation(x, x, pad_size=1)
    y.backward()
    assert y.shape == (shape[0], 9, 4, 5) and not y.asnumpy().any() and x.grad.shape == shape


def test_invalid_arguments_are_rejected():
    x = nd.ones((1, 2, 4, 5))
    with pytest.raises(AttributeValueError, match="kernel_size is 2; expected an odd number"):
        nd.Correlation(x, x, kernel_size=2)
    with pytest.raises(ShapeError, match=r"data2 has shape .*; expected \(1, 2, 4, 5\)"):
        nd.Correlation(x, nd.ones((1, 2, 5, 4)))
    with pytest.raises(ShapeError, match="data1 has shape"):
        nd.Correlation(nd.ones((2, 4, 5)), nd.ones((2, 4, 5)))
    with pytest.raises(ShapeError, match=r"do not fit an axis of length 4 .*expected 7 or more"):
        nd.Correlation(x, x, max_displacement=3)
    with pytest.raises(DTypeError, match="float64; expected float32"):
        nd.Correlation(x, x.astype("float64"))


@pytest.mark.parametrize("pad_size", [2**20, 2**31 - 1])
def test_padding_beyond_memory(pad_size):
    x = nd.ones((1, 1, 1, 1))
    with pytest.raises(MemoryError, match="Correlation"):
        nd.Correlation(x, x, pad_size=pad_size, max_displacement=pad_size, stride2=pad_size)
