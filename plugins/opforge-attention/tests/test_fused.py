"""Fused attention, beyond the sample calls of ``opforge check``."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opforge_attention.checks import attention as reference

from opforge import autograd, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError

#: Absolute, for values of about 1.
TOLERANCES = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


def attend(*inputs, **attributes):
    """Return the operator's result for NumPy arrays."""
    arrays = [nd.array(x, dtype=x.dtype) for x in inputs]
    return nd.scaled_dot_product_attention(*arrays, **attributes).asnumpy()


def rows(rng, *shape, dtype="float64"):
    return rng.standard_normal(shape).astype(dtype)


def gradients(inputs, out_grad, **attributes):
    """Return the result, and the gradients of query, key and value."""
    arrays = [nd.array(x, dtype=x.dtype) for x in inputs]
    for array in arrays[:3]:
        array.attach_grad()
    with autograd.record():
        out = nd.scaled_dot_product_attention(*arrays, **attributes)
    out.backward(nd.array(out_grad, dtype=out_grad.dtype))
    return out.asnumpy(), [array.grad.asnumpy() for array in arrays[:3]]


@pytest.mark.parametrize("dtype", TOLERANCES)
@pytest.mark.parametrize("queries", [1, 2, 31, 32, 33, 70])
@pytest.mark.parametrize(("keys", "depth"), [(1, 1), (55, 8), (57, 16), (130, 33)])
def test_lengths_around_the_sizes_of_panels_and_blocks(dtype, queries, keys, depth):
    rng = np.random.default_rng(keys)
    q, k, v = rows(rng, 2, queries, depth), rows(rng, 2, keys, depth), rows(rng, 2, keys, depth + 1)
    q, k, v = (x.astype(dtype) for x in (q, k, v))
    wanted = reference(*(x.astype("float64") for x in (q, k, v)), causal=True)
    got = attend(q, k, v, causal=True)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=10 * TOLERANCES[dtype])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("queries", [1, 3, 33])
@pytest.mark.parametrize("keys", [1, 300, 513])
def test_a_few_queries_use_the_decoding_kernel(dtype, queries, keys):
    rng = np.random.default_rng(queries)
    q, k, v = (rows(rng, 2, 2, n, 64) for n in (queries, keys, keys))
    seen, counts = rng.random((2, 1, queries, keys)) > 0.3, rng.integers(0, keys + 1, (2, queries))
    seen[0, 0, 0] = False
    options = {"use_mask": True, "use_length": True, "causal": queries > keys}
    wanted = reference(q, k, v, seen.astype("uint8"), counts, **options)
    got = attend(*(x.astype(dtype) for x in (q, k, v)), seen, counts, **options)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=10 * TOLERANCES[dtype])
    assert not got[0, :, 0].any()


def test_few_queries_drop_the_same_elements_as_backward():
    rng = np.random.default_rng(4)
    q, k, v = rows(rng, 2, 32), rows(rng, 300, 32), rows(rng, 300, 64)
    arrays = [nd.array(x, dtype="float64") for x in (q, k, v)]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = nd.scaled_dot_product_attention(*arrays, dropout=0.5)
    out.backward()
    # The result is linear in the values: its gradient by them has the kept weights of all queries.
    kept = arrays[2].grad.asnumpy()[:, :1]
    assert (kept == 0).any()
    np.testing.assert_allclose(out.asnumpy().sum(0), (kept * v).sum(0), rtol=0, atol=1e-12)


lengths = st.integers(1, 70)


@given(lengths, lengths, st.integers(1, 40), st.integers(1, 40), st.booleans(), st.randoms())
def test_gradients_agree_with_the_composition(queries, keys, depth, value_depth, causal, random):
    rng = np.random.default_rng(random.randrange(1 << 30))
    q, k, v = (
        rows(rng, 2, queries, depth),
        rows(rng, 2, keys, depth),
        rows(rng, 2, keys, value_depth),
    )
    out_grad = rows(rng, 2, queries, value_depth)
    counts = rng.integers(0, keys + 1, (2, queries)).astype("int32")
    arrays = [nd.array(x, dtype="float64") for x in (q, k, v)]
    seen = np.arange(keys) < counts[..., np.newaxis]
    if causal:
        seen = seen & (np.arange(keys) <= np.arange(queries)[:, np.newaxis])
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        scores = nd.batch_dot(arrays[0], arrays[1], transpose_b=True) * depth**-0.5
        scores = scores + nd.array(np.where(seen, 0, -1e30), dtype="float64")
        weights = nd.exp(nd.broadcast_sub(scores, nd.max(scores, axis=-1, keepdims=True)))
        weights = nd.broadcast_div(weights, nd.sum(weights, axis=-1, keepdims=True))
        weights = weights * nd.array(seen, dtype="float64")
        wanted = nd.batch_dot(weights, arrays[2])
    wanted.backward(nd.array(out_grad, dtype="float64"))
    got, found = gradients((q, k, v, counts), out_grad, causal=causal, use_length=True)
    np.testing.assert_allclose(got, wanted.asnumpy(), rtol=0, atol=1e-12)
    for array, grad in zip(arrays, found, strict=True):
        np.testing.assert_allclose(grad, array.grad.asnumpy(), rtol=0, atol=1e-12)


def test_keys_are_split_into_chunks_with_few_units():
    rng = np.random.default_rng(0)
    q, k, v, g = rows(rng, 40, 5), rows(rng, 900, 5), rows(rng, 900, 5), rows(rng, 40, 5)
    one, found = gradients((q, k, v), g)
    copies = [np.repeat(x[np.newaxis], 16, 0) for x in (q, k, v, g)]
    many, wanted = gradients(copies[:3], copies[3])
    np.testing.assert_array_equal(one, many[3])
    for got, of_copies in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, of_copies[3], rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", ["bool", "uint8", "float64"])
def test_a_query_without_visible_keys_gets_zeros_and_no_gradient(kind):
    rng = np.random.default_rng(0)
    q, k, v, g = (rows(rng, 2, 3, 4) for _ in range(4))
    seen = np.ones((3, 3), bool)
    seen[1] = False
    mask = np.where(seen, 0, -np.inf) if kind == "float64" else seen.astype(kind)
    out, (by_query, by_key, by_value) = gradients((q, k, v, mask), g, use_mask=True)
    assert not out[:, 1].any()
    assert not by_query[:, 1].any()
    assert np.isfinite(by_key).all() and np.isfinite(by_value).all()
    np.testing.assert_allclose(out, reference(q, k, v, seen.astype("uint8"), use_mask=True))


def test_nan_is_propagated():
    rng = np.random.default_rng(0)
    q, k, v = (rows(rng, 1, 4, 3, dtype="float32") for _ in range(3))
    q[0, 2, 1] = np.nan
    out = attend(q, k, v)
    assert np.isnan(out[0, 2]).all()
    assert np.isfinite(out[0, [0, 1, 3]]).all()


def test_large_scores_do_not_overflow():
    x = np.array([[[3e18], [-3e18]]], "float32")
    np.testing.assert_array_equal(attend(x, x, np.array([[[1], [2]]], "float32"))[0], [[1], [2]])


def dropped(rate, dtype="float64"):
    """Return uniform weights after dropout, for 64 queries and 200 keys."""
    q, k = np.zeros((64, 4), dtype), np.zeros((200, 4), dtype)
    arrays = [nd.array(x, dtype=dtype) for x in (q, k, np.eye(200, dtype=dtype))]
    with autograd.train_mode():
        return nd.scaled_dot_product_attention(*arrays, dropout=rate).asnumpy() * 200


def test_dropout_keeps_the_expected_share_and_scales_it():
    kept = dropped(0.25)
    np.testing.assert_allclose(np.unique(kept), [0, 4 / 3], rtol=1e-12)
    # 12,800 draws: within five standard deviations of their mean.
    assert abs((kept == 0).mean() - 0.25) < 5 * (0.25 * 0.75 / kept.size) ** 0.5
    assert not np.array_equal(kept, dropped(0.25))
    assert not dropped(1.0).any()


def test_dropout_applies_only_in_training():
    x = rows(np.random.default_rng(0), 5, 4)
    np.testing.assert_array_equal(attend(x, x, x, dropout=0.9), attend(x, x, x))


def test_backward_drops_the_same_elements_as_forward():
    rng = np.random.default_rng(3)
    q, k, g = rows(rng, 40, 3), rows(rng, 70, 3), rows(rng, 40, 70)
    arrays = [nd.array(x, dtype="float64") for x in (q, k, np.eye(70))]
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = nd.scaled_dot_product_attention(*arrays, dropout=0.5)
    out.backward(nd.array(g, dtype="float64"))
    weights = reference(q, k, np.eye(70))
    kept = out.asnumpy() / weights
    by_weights = g * kept
    by_scores = weights * (by_weights - (by_weights * weights).sum(-1, keepdims=True))
    np.testing.assert_allclose(arrays[0].grad.asnumpy(), by_scores @ k * 3**-0.5, atol=1e-12)
    np.testing.assert_allclose(arrays[1].grad.asnumpy(), by_scores.T @ q * 3**-0.5, atol=1e-12)
    np.testing.assert_allclose(arrays[2].grad.asnumpy(), out.asnumpy().T @ g, atol=1e-12)


@pytest.mark.parametrize(
    ("shapes", "attributes", "message"),
    [
        (((2, 3, 4), (2, 5, 3), (2, 5, 3)), {}, r"key has shape .*expected \(2, 5, 4\)"),
        (((2, 3, 4), (2, 5, 4), (2, 6, 3)), {}, r"value has shape .*expected \(2, 5, 3\)"),
        (((2, 3, 4), (3, 5, 4), (3, 5, 3)), {}, r"key has shape .*expected \(2, 5, 4\)"),
        (((4,), (4,), (4,)), {}, r"query has shape \(4,\); expected \(..., length, depth\)"),
        (((3, 4), (5, 4), (5, 4)), {"num_heads": 2}, "num_heads"),
        (((2, 3, 4), (2, 5, 4), (2, 5, 4)), {"num_heads": 3}, "divisible by num_heads=3"),
        (((2, 3, 4), (2, 5, 4), (2, 5, 4), (2, 5, 3)), {"use_mask": True}, "mask has shape"),
        (((2, 3, 4), (2, 5, 4), (2, 5, 4), (1, 2, 3, 5)), {"use_mask": True}, "mask has shape"),
        (((2, 0, 4), (2, 5, 4), (2, 6, 4)), {}, r"expected \(2, 5, 4\)"),
        (((0, 3, 4), (2, 5, 4), (2, 5, 4)), {}, "which do not match"),
        (((2, 3, 4), (2, 0, 4), (2, 5, 4)), {}, "which do not match"),
    ],
)
def test_mismatched_shapes_raise(shapes, attributes, message):
    with pytest.raises(ShapeError, match=message):
        attend(*(np.zeros(shape) for shape in shapes), **attributes)


@pytest.mark.parametrize("shape", [(3,), (2, 4), (2, 3, 1)])
def test_invalid_shapes_of_lengths_raise(shape):
    x = np.zeros((2, 3, 4))
    with pytest.raises(ShapeError, match=r"valid_length has shape .*\(2,\) or \(2, 3\)"):
        attend(x, x, x, np.zeros(shape, "int32"), use_length=True)


def test_arrays_without_axes_raise():
    x, scalar = np.zeros((2, 3, 4)), np.zeros(())
    for arrays in ([scalar, x, x], [x, scalar, x], [x, x, scalar], [scalar] * 3):
        with pytest.raises(ShapeError, match="pass inputs that have dimensions"):
            attend(*arrays)
    with pytest.raises(ShapeError, match="valid_length has no axes"):
        attend(x, x, x, np.zeros((), "int32"), use_length=True)


def test_invalid_types_raise():
    x, integers = np.zeros((2, 3, 4)), np.zeros((2, 3, 4), "int32")
    with pytest.raises(DTypeError, match="'query' has dtype int32"):
        attend(integers, integers, integers)
    with pytest.raises(DTypeError, match=r"'value' has dtype float32; expected float64.*astype"):
        attend(x, x, x.astype("float32"))
    with pytest.raises(
        DTypeError, match=r"'mask' has dtype int32; expected .*, uint8, bool or bfloat16"
    ):
        attend(x, x, x, np.zeros((3, 3), "int32"), use_mask=True)
    with pytest.raises(DTypeError, match="mask has dtype float32; expected bool, uint8 or float64"):
        attend(x, x, x, np.zeros((3, 3), "float32"), use_mask=True)
    with pytest.raises(
        DTypeError, match="'valid_length' has dtype float64; expected int32 or int64"
    ):
        attend(x, x, x, np.zeros(2), use_length=True)


def test_attributes_out_of_range_raise():
    x = np.zeros((2, 3, 4))
    for attributes in ({"dropout": 1.5}, {"num_heads": 0}, {"num_heads": 2**62}):
        with pytest.raises(AttributeValueError):
            attend(x, x, x, **attributes)


def test_a_symbol_of_an_unknown_batch_is_inferred():
    q, k, v = (sym.var(name) for name in "qkv")
    out = sym.scaled_dot_product_attention(q, k, v, num_heads=2, name="a")
    _, (shape,), _ = out.infer_shape(q=(4, 3, 8), k=(4, 5, 8), v=(4, 5, 6))
    assert shape == (4, 3, 6)
    assert out.list_outputs() == ["a_output"]
    inputs, _, _ = out.infer_shape_partial(q=(0, 3, 8), k=(4, 5, 8), v=(4, 0, 6))
    assert inputs[1] == (4, 5, 8)
