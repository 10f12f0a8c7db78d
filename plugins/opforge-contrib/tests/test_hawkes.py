import numpy as np
import pytest
from opforge_contrib.checks import hawkes

from opforge import autograd, nd, sym
from opforge.gluon import nn
from opforge.testing import check_gradients

N, K, T = 3, 2, 6


def inputs(seed=0, lengths=(6, 3, 0), dtype="float64"):
    """Return the inputs of three sequences with two marks."""
    rng = np.random.default_rng(seed)
    shapes = [(N, K), (K,), (K,), (N, K), (N, T)]
    found = [rng.uniform(0.2, 1.5, shape) for shape in shapes]
    found += [rng.integers(0, K, (N, T)), np.array(lengths), rng.uniform(10, 20, N)]
    return [nd.array(a, dtype="int32" if i == 5 else dtype) for i, a in enumerate(found)]


@pytest.mark.parametrize(("dtype", "rtol"), [("float16", 2e-3), ("float32", 1e-6), ("float64", 0)])
def test_likelihoods_equal_those_of_a_loop_over_events(dtype, rtol):
    arrays = inputs(dtype=dtype)
    expected = hawkes(*(array.asnumpy().astype(np.float64) for array in arrays))
    for result, reference in zip(nd.contrib.hawkesll(*arrays), expected, strict=True):
        assert result.dtype == np.dtype(dtype)
        np.testing.assert_allclose(result.asnumpy(), reference, rtol=rtol + 1e-12, atol=rtol / 100)


def test_gradients_of_both_results():
    arrays = inputs()
    marks, lengths = arrays[5:7]

    def call(lda, alpha, beta, state, lags, max_time):
        total, state = nd.contrib.hawkesll(lda, alpha, beta, state, lags, marks, lengths, max_time)
        return total + (state * nd.array([[1, 2], [3, 4], [5, 6]], dtype="float64")).sum(axis=1)

    check_gradients(call, [array.asnumpy() for array in (*arrays[:5], arrays[7])], order=1)


def test_gradients_equal_mxnet_s():
    """Values computed with MXNet 1.9.1."""
    lda, alpha, beta = nd.array([[1.5, 0.5]]), nd.array([0.25, 0.5]), nd.array([1, 2])
    for array in (lda, alpha, beta):
        array.attach_grad()
    lags, marks = nd.array([[1, 2, 0.5, 0.25]]), nd.array([[0, 1, 0, 1]], dtype="int32")
    with autograd.record():
        total, state = nd.contrib.hawkesll(
            lda, alpha, beta, nd.array([[0.5, 1]]), lags, marks, nd.array([4]), nd.array([5])
        )
    total.backward()
    for array, expected in (
        (total, [-12.167982]),
        (state, [[0.24481478, 0.10044604]]),
        (lda.grad, [[-3.6971226, -1.6280462]]),
        (alpha.grad, [-2.0724497, -2.2715077]),
        (beta.grad, [-0.13258567, -0.16163015]),
    ):
        np.testing.assert_allclose(array.asnumpy(), expected, rtol=1e-5)


def test_events_after_the_valid_length_are_ignored():
    arrays = inputs()
    expected = [result.asnumpy() for result in nd.contrib.hawkesll(*arrays)]
    arrays[4][1, 3:] = np.nan
    arrays[5][1, 3:] = -7
    for result, reference in zip(nd.contrib.hawkesll(*arrays), expected, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), reference)


def test_a_sequence_in_two_parts_continues_from_its_state():
    lda, alpha, beta, state, lags, marks, _, _ = inputs()
    end, six, three = (nd.full((N,), value, dtype="float64") for value in (20, 6, 3))
    whole = nd.contrib.hawkesll(lda, alpha, beta, state, lags, marks, six, end)
    middle = lags[:, :3].sum(axis=1)
    first = nd.contrib.hawkesll(lda, alpha, beta, state, lags, marks, three, middle)
    second = nd.contrib.hawkesll(
        lda, alpha, beta, first[1], lags[:, 3:], marks[:, 3:], three, end - middle
    )
    np.testing.assert_allclose((first[0] + second[0]).asnumpy(), whole[0].asnumpy(), rtol=1e-12)
    np.testing.assert_allclose(second[1].asnumpy(), whole[1].asnumpy(), rtol=1e-12)


def test_not_a_number_stays_in_its_sequence():
    arrays = inputs()
    arrays[4][0, 1] = np.nan
    total, _ = nd.contrib.hawkesll(*arrays)
    assert np.isnan(total.asnumpy()).tolist() == [True, False, False]


@pytest.mark.parametrize("at", range(8))
def test_misfit_shapes(at):
    arrays = inputs()
    arrays[at] = nd.zeros((5, 5, 5), dtype=arrays[at].dtype)
    with pytest.raises(ValueError, match=r"has shape \(5, 5, 5\); expected \("):
        nd.contrib.hawkesll(*arrays)


def test_misfits_name_the_inputs():
    arrays = inputs()
    arrays[6] = nd.zeros((4,), dtype="float64")
    message = (
        r"'valid_length' has shape \(4,\); expected \(3,\) because the inputs before it have n=3"
    )
    with pytest.raises(ValueError, match=message):
        nd.contrib.hawkesll(*arrays)


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (5, 2, "'marks' has the mark 2; expected 0 to 1"),
        (5, -1, "'marks' has the mark -1; expected 0 to 1"),
        (6, 7, "'valid_length' has the length 7; expected at most 6"),
    ],
)
def test_values_out_of_range(at, value, message):
    arrays = inputs()
    arrays[at][:] = value
    with pytest.raises(RuntimeError, match=message):
        nd.contrib.hawkesll(*arrays)


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
def test_marks_of_other_types(dtype):
    arrays = inputs()
    expected = nd.contrib.hawkesll(*arrays)[0].asnumpy()
    arrays[5] = arrays[5].astype(dtype)
    np.testing.assert_array_equal(nd.contrib.hawkesll(*arrays)[0].asnumpy(), expected)


def test_symbols_and_blocks():
    y = sym.contrib.hawkesll(sym.var("lda"), name="h")
    assert y.list_outputs() == ["h_output", "h_out_state"]
    shapes, outputs, _ = y.infer_shape(lda=(N, K), h_lags=(N, T))
    assert shapes == [tuple(array.shape) for array in inputs()]
    assert outputs == [(N,), (N, K)]
    types, _, _ = y.infer_type(lda="float64")
    assert types == [np.int32 if at == 5 else np.float64 for at in range(8)]
    block = nn.HybridLambda(lambda F, *arrays: F.contrib.hawkesll(*arrays)[0])
    expected = block(*inputs()).asnumpy()
    block.hybridize()
    np.testing.assert_array_equal(block(*inputs()).asnumpy(), expected)
