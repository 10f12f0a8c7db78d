"""Tests of SequenceMask, SequenceLast and SequenceReverse: values, types, graphs and errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_sequence import checks

from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, OpforgeError, ShapeError

REFERENCES = {
    "SequenceMask": checks.mask,
    "SequenceLast": checks.last,
    "SequenceReverse": checks.reverse,
}
DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int32", "int64"]
names = pytest.mark.parametrize("name", sorted(REFERENCES))


def call(name, data, lengths, **attributes):
    return getattr(nd, name)(data, lengths, use_sequence_length=True, **attributes)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(REFERENCES)),
    st.integers(0, 1),
    st.lists(st.integers(1, 5), min_size=2, max_size=4),
    st.sampled_from(DTYPES),
    st.sampled_from(DTYPES),
    st.data(),
)
def test_any_shape_type_and_lengths(name, axis, shape, dtype, kind, data):
    steps, batch = shape[axis], shape[1 - axis]
    ends = data.draw(st.lists(st.integers(1, steps), min_size=batch, max_size=batch))
    x = np.arange(1, 1 + np.prod(shape)).reshape(shape).astype(dtype)
    result = call(name, nd.array(x, dtype=dtype), nd.array(ends, dtype=kind), axis=axis)
    expected = REFERENCES[name](x, np.array(ends), axis=axis)
    assert result.dtype == x.dtype
    np.testing.assert_array_equal(result.asnumpy(), expected)
    plain = getattr(nd, name)(nd.array(x, dtype=dtype), axis=axis)
    np.testing.assert_array_equal(plain.asnumpy(), REFERENCES[name](x, axis=axis))


@names
def test_many_steps_on_several_threads(name):
    x = np.random.default_rng(0).normal(size=(300, 50, 40)).astype("float32")
    ends = np.arange(50) * 6 + 1
    result = call(name, nd.array(x), nd.array(ends))
    np.testing.assert_array_equal(result.asnumpy(), REFERENCES[name](x, ends))


def test_mask_value_may_be_any_value_of_the_type():
    x = nd.ones((2, 1), dtype="int8")
    assert call("SequenceMask", x, nd.array([0]), value=-7).asnumpy().tolist() == [[-7], [-7]]
    x = nd.ones((2, 1), dtype="float16")
    assert np.isnan(call("SequenceMask", x, nd.array([1]), value=np.nan).asnumpy()[1, 0])


def test_mask_accepts_lengths_beyond_the_data_and_zero():
    x = nd.array([[1.0, 2.0, 3.0]])
    masked = call("SequenceMask", x, nd.array([0, 9, 1e9]))
    assert masked.asnumpy().tolist() == [[0.0, 2.0, 3.0]]
    assert (
        call("SequenceReverse", x, nd.array([0, 1, 1])).asnumpy().tolist() == x.asnumpy().tolist()
    )


@names
def test_lengths_have_zero_gradient(name):
    x, ends = nd.ones((3, 2)), nd.array([1, 2])
    x.attach_grad()
    ends.attach_grad()
    with autograd.record():
        y = call(name, x, ends)
    y.backward()
    assert ends.grad.asnumpy().tolist() == [0.0, 0.0]
    assert x.grad.sum().asscalar() == {"SequenceMask": 3, "SequenceLast": 2}.get(name, 6)


@names
def test_symbols_create_a_variable_for_the_lengths(name):
    out = getattr(sym, name)(sym.var("x"), use_sequence_length=True, name="cut")
    assert out.list_arguments() == ["x", "cut_sequence_length"]
    assert out.infer_shape(x=(5, 3, 2))[0] == [(5, 3, 2), (3,)]
    assert getattr(sym, name)(sym.var("x"), name="cut").list_arguments() == ["x"]
    assert sym.load_json(out.tojson()).list_arguments() == out.list_arguments()


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        *[("SequenceMask", value) for value in (-1, -1e30, np.nan, np.inf)],
        *[("SequenceReverse", value) for value in (-1, 4, 1e30, np.nan)],
        *[("SequenceLast", value) for value in (0, 0.9, 4, -1, np.inf, np.nan)],
    ],
)
def test_lengths_out_of_range_are_rejected(name, ends):
    with pytest.raises(OpforgeError, match=rf"{name}.*'sequence_length' has .* at 1; expected"):
        call(name, nd.zeros((3, 2, 2)), nd.array([1, ends], dtype="float64"))


@names
def test_invalid_shapes_are_rejected(name):
    with pytest.raises(ShapeError, match="at least two axes"):
        getattr(nd, name)(nd.zeros(3))
    with pytest.raises(ShapeError, match="sequence_length"):
        call(name, nd.zeros((3, 2)), nd.zeros(3))
    with pytest.raises(AttributeValueError, match="axis"):
        getattr(nd, name)(nd.zeros((3, 2)), axis=2)


def test_data_without_steps():
    with pytest.raises(ShapeError, match="no steps"):
        nd.SequenceLast(nd.zeros((0, 2)))
    assert nd.SequenceReverse(nd.zeros((0, 2))).shape == (0, 2)
    assert nd.SequenceLast(nd.zeros((3, 0, 2))).shape == (0, 2)
