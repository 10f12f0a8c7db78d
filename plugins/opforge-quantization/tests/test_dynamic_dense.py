"""`_dynamic_dense`: data quantized by rows, weights of 8 or 4 bits."""

import numpy as np
import pytest
from opforge_quantization.weights import dequantize_weight, quantize_weight

from opforge import nd, sym
from opforge.base.errors import AttributeValueError, ShapeError

KINDS = [(8, 0), (8, 32), (4, 0), (4, 32), (4, 64), (4, 128)]


def arrays_of(rows, units, length, bits, group_size, seed=0):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(rows, length)).astype("float32")
    weight = rng.normal(size=(units, length)).astype("float32")
    integers, scales = quantize_weight(weight, bits, group_size)
    bias = rng.normal(size=units).astype("float32")
    return data, integers, scales, bias


def quantized_rows(data):
    """Return the integers of each row and the real number that 1 stands for."""
    step = np.abs(data).max(axis=-1, keepdims=True) / np.float32(127)
    factor = np.float32(127) / np.abs(data).max(axis=-1, keepdims=True)
    return np.rint(data * factor).astype("float64"), step.astype("float64")


def reference(data, integers, scales, bias, group_size):
    rows, step = quantized_rows(data)
    weight = dequantize_weight(integers, scales.astype("float64"), data.shape[-1], group_size)
    return (rows @ weight.T) * step + bias


def call(data, integers, scales, bias, bits, group_size, **options):
    arrays = nd.array(data), nd.array(integers, dtype=integers.dtype), nd.array(scales)
    attributes = {"num_hidden": len(integers), "bits": bits, "group_size": group_size, **options}
    if bias is None:
        return nd._dynamic_dense(*arrays, no_bias=True, **attributes).asnumpy()
    return nd._dynamic_dense(*arrays, nd.array(bias), **attributes).asnumpy()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("length", [1, 31, 32, 33, 63, 64, 65, 100, 127, 128, 130, 321])
def test_lengths_and_rows(length, rows, kind):
    arrays = arrays_of(rows, 7, length, *kind)
    np.testing.assert_allclose(
        call(*arrays, *kind), reference(*arrays, kind[1]), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("units", [1, 2, 3, 4, 5, 8, 130])
def test_units(units, kind):
    arrays = arrays_of(3, units, 96, *kind)
    np.testing.assert_allclose(
        call(*arrays, *kind), reference(*arrays, kind[1]), rtol=1e-4, atol=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [-128, 127])
def test_extreme_integers_do_not_saturate_sums(value, kind):
    bits, group_size = kind
    data = np.ones((2, 4096), "float32")
    stored = np.full((5, 4096 if bits == 8 else 2048), value if bits == 8 else 0, "int8")
    stored = stored if bits == 8 else stored.astype("uint8")
    scales = np.ones((5, -(-4096 // group_size) if group_size else 1), "float32")
    want = 4096 * (value if bits == 8 else -8)
    np.testing.assert_allclose(call(data, stored, scales, None, *kind), want, rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_reach_only_their_row(odd, kind):
    data, integers, scales, bias = arrays_of(3, 6, 70, *kind)
    want = call(data, integers, scales, bias, *kind)
    data[1, 65] = odd
    got = call(data, integers, scales, bias, *kind)
    assert np.isnan(got[1]).all()
    np.testing.assert_array_equal(got[[0, 2]], want[[0, 2]])


@pytest.mark.parametrize("tiny", [0, 1e-45, 1e-38])
def test_rows_of_zeros_give_the_bias(tiny):
    _, integers, scales, bias = arrays_of(1, 6, 70, 8, 0)
    got = call(np.full((2, 70), tiny, "float32"), integers, scales, bias, 8, 0)
    np.testing.assert_allclose(got, [bias] * 2, rtol=1e-6)


@pytest.mark.parametrize(
    ("shape", "flatten", "out"),
    [((2, 3, 4), True, (2, 5)), ((2, 3, 12), False, (2, 3, 5)), ((12,), False, (5,))],
)
def test_shapes(shape, flatten, out):
    _, integers, scales, bias = arrays_of(1, 5, 12, 8, 0)
    data = np.random.default_rng(1).normal(size=shape).astype("float32")
    want = reference(data.reshape(-1, 12), integers, scales, bias, 0).reshape(out)
    got = call(data, integers, scales, bias, 8, 0, flatten=flatten)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_empty_arrays(kind):
    integers, scales, bias = arrays_of(1, 5, 12, *kind)[1:]
    assert call(np.zeros((0, 12), "float32"), integers, scales, bias, *kind).shape == (0, 5)
    scales = np.ones((5, 0 if kind[1] else 1), "float32")
    empty = np.zeros((5, 0), integers.dtype)
    got = call(np.zeros((2, 0), "float32"), empty, scales, bias, *kind)
    np.testing.assert_array_equal(got, [bias] * 2)


def test_shapes_are_inferred():
    data = sym.var("data", shape=(3, 100))
    graph = sym._dynamic_dense(data, num_hidden=7, bits=4, group_size=32, name="fc")
    shapes, outs, _ = graph.infer_shape()
    assert dict(zip(graph.list_arguments(), shapes, strict=True)) == {
        **{"data": (3, 100), "fc_weight": (7, 64), "fc_scale": (7, 4), "fc_bias": (7,)}
    }
    assert outs == [(3, 7)]


def test_misfits_raise():
    data, integers, scales, bias = arrays_of(2, 5, 64, 4, 32)
    with pytest.raises(ShapeError, match=r"'weight' has shape \(5, 32\); expected \(5, 64\)"):
        call(np.zeros((2, 128), "float32"), integers, scales, bias, 4, 32)
    with pytest.raises(ShapeError, match=r"'scale' has shape \(5, 2\); expected \(5, 1\)"):
        call(data, integers, scales, bias, 4, 64)
    with pytest.raises(AttributeValueError, match="group_size is 48; expected 0, or a power of 2"):
        call(data, integers, scales, bias, 4, 48)
    with pytest.raises(ShapeError, match="Set group_size"):
        sym._dynamic_dense(sym.var("x", shape=(1, 200000)), num_hidden=1).infer_shape()


@pytest.mark.parametrize(("bits", "bound"), [(8, 0.006), (4, 0.09)])
def test_weights_of_fewer_bits_stay_near(bits, bound):
    weight = np.random.default_rng(5).normal(size=(16, 256)).astype("float32")
    integers, scales = quantize_weight(weight, bits, 32)
    error = dequantize_weight(integers, scales, 256, 32) - weight
    assert np.sqrt((error**2).mean()) < bound


def test_weights_of_zeros():
    for bits, group_size in KINDS:
        integers, scales = quantize_weight(np.zeros((2, 40), "float32"), bits, group_size)
        assert (dequantize_weight(integers, scales, 40, group_size) == 0).all()
