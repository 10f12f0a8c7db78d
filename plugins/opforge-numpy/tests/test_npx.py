"""Operators, switches, files and random numbers of `mx.npx`."""

import math

import numpy as np
import pytest
from opforge_numpy.arrays import adopt, ndarray
from opforge_numpy.npx.operators import OPERATORS

import opforge as mx
from opforge import autograd, gluon, nd, npx
from opforge.base.numpy_semantics import is_np_array, is_np_shape, np_array, np_shape
from opforge.op.registry.registry import names

X = np.arange(24, dtype="float32").reshape(2, 3, 4)


def array(values, dtype="float32"):
    return adopt(nd.array(values, dtype=dtype))


# -- names -----------------------------------------------------------------------------------------


def test_the_table_names_operators_that_exist():
    assert set(OPERATORS.values()) <= set(names())
    assert list(OPERATORS) == sorted(OPERATORS)


def test_operators_are_those_of_nd_under_other_names():
    pooling = npx.pooling
    assert pooling.__name__ == "pooling"
    assert pooling.__module__ == npx.__name__
    assert pooling.__doc__ == nd.Pooling.__doc__
    assert pooling.__signature__ == nd.Pooling.__signature__
    assert pooling.__code__ is nd.Pooling.__code__
    assert vars(npx)["pooling"] is pooling


def test_names():
    for name in npx.__all__:
        assert callable(getattr(npx, name)) or name in ("image", "random"), name
    assert set(npx.__all__) <= set(dir(npx))
    with pytest.raises(AttributeError, match="no attribute 'Pooling'"):
        npx.Pooling  # noqa: B018


def test_all_paths_lead_to_the_same_module():
    assert nd.npx is mx.npx is mx.numpy_extension is nd.numpy_extension
    assert nd.np is mx.np


# -- operators -------------------------------------------------------------------------------------


def test_results_are_arrays_of_np_with_gradients():
    x = array(X)
    x.attach_grad()
    with autograd.record():
        y = npx.leaky_relu(x - 3, act_type="leaky", slope=0.5)
    y.backward()
    assert type(y) is ndarray
    np.testing.assert_array_equal(x.grad.asnumpy(), np.where(X > 3, 1, 0.5))
    assert all(type(part) is ndarray for part in npx.topk(x, k=2, ret_typ="both"))
    assert type(npx.relu(nd.array([1]))) is nd.NDArray


@pytest.mark.parametrize(
    ("shape", "wanted", "reverse", "expected"),
    [
        ((2, 3, 4), (4, -1), False, (4, 6)),
        ((2, 3, 4), -1, False, (24,)),
        ((2, 3, 4), (-2, -1), False, (2, 12)),
        ((2, 3, 4), (-4,), False, (2, 3, 4)),
        ((2, 3, 4), (-5, -1), False, (6, 4)),
        ((2, 3, 4), (-6, 1, 2, -4), False, (1, 2, 3, 4)),
        ((2, 3, 8), (-2, -2, -6, 2, -1), False, (2, 3, 2, 4)),
        ((1, 3), (-3, -1), False, (3,)),
        ((8, 1, 2, 2), (-2, -3, -1), False, (8, 4)),
        ((1, 2, 1, 3), (-3, -2, -3, -4), False, (2, 3)),
        ((8, 3, 3, 3, 4, 4), (-4, -5), True, (8, 3, 3, 3, 16)),
        ((2, 3, 1, 4), (-5, -3, -2), True, (6, 4)),
        ((1, 2, 3), (-3, -2, -2), True, (2, 3)),
        ((8, 5, 4, 6), (-4, -1, 3, -6), True, (8, 5, 4, 2, 3)),
        ((0, 3), (-2, 3, 1), False, (0, 3, 1)),
        ((1,), (), False, ()),
    ],
)
def test_reshape(shape, wanted, reverse, expected):
    x = np.arange(math.prod(shape), dtype="float32").reshape(shape)
    found = npx.reshape(array(x), wanted, reverse=reverse)
    assert found.shape == expected
    np.testing.assert_array_equal(found.asnumpy(), x.reshape(expected))


def test_reshapes_that_do_not_fit():
    x = array(X)
    for wanted in ((-3, -4), (5, -1), (-2, -2, -2, -2)):
        with pytest.raises(mx.MXNetError):
            npx.reshape(x, wanted)
    with pytest.raises(ValueError, match="-7 in newshape"):
        npx.reshape(x, (-7,))
    with pytest.raises(ValueError, match="no axis left after -4"):
        npx.reshape(x, (-4, -3))
    with pytest.raises(ValueError, match="order is 'F'"):
        npx.reshape(x, (-1,), order="F")


def test_nonzero():
    x = np.where(X % 5 == 0, X, 0)
    found = npx.nonzero(array(x))
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found.asnumpy(), np.argwhere(x))
    assert npx.nonzero(array(np.zeros(3))).shape == (0, 1)
    assert npx.nonzero(array(np.zeros((0, 3)))).shape == (0, 2)


def test_constraints():
    checked = npx.constraint_check(array([True, True], "bool"), "never")
    assert (checked.shape, checked.dtype, checked.item()) == ((), np.bool_, True)
    with pytest.raises(mx.MXNetError, match="wrong at all") as info:
        npx.constraint_check(array([True, False], "bool"), "wrong at all")
    assert isinstance(info.value.__cause__, ValueError)


def test_violated_constraints_are_errors_of_values():
    for hybridize in (False, True):
        block = gluon.nn.HybridLambda(lambda F, x: F.npx.constraint_check(x, "no"))
        block.hybridize(hybridize)
        with pytest.raises(ValueError, match="no"):
            block(adopt(nd.zeros(2, dtype="bool"))).asnumpy()


def test_masked_softmax():
    x, mask = array(X[0]), array([[1, 0, 1, 0]], "bool")
    x.attach_grad()
    with autograd.record():
        y = npx.masked_softmax(x, mask)
        total = (y * array(X[0])).sum()
    total.backward()
    chosen = np.exp(X[0] - X[0].max(1, keepdims=True)) * [1, 0, 1, 0]
    expected = chosen / chosen.sum(1, keepdims=True)
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-5)
    inner = (expected * X[0]).sum(1, keepdims=True)
    np.testing.assert_allclose(x.grad.asnumpy(), expected * (X[0] - inner), rtol=1e-4, atol=1e-6)
    with np.errstate(divide="ignore"):
        logarithms = np.log(expected)
    np.testing.assert_allclose(
        npx.masked_log_softmax(x, mask).asnumpy(), logarithms, rtol=1e-4, atol=1e-6
    )
    for name in ("softmax", "log_softmax"):
        plain = getattr(npx, name)(x, axis=0, temperature=2).asnumpy()
        masked = getattr(npx, f"masked_{name}")(x, axis=0, temperature=2).asnumpy()
        np.testing.assert_array_equal(masked, plain)


def test_values_at_indices():
    x, where, values = array(np.ones((3, 2))), array([[0, 0, 2]], "int32"), array([[1], [2], [3]])
    for given in (x, values):
        given.attach_grad()
    with autograd.record():
        added = npx.index_add(x, where, values)
    added.backward(array([[1, 1], [2, 2], [3, 3]]))
    np.testing.assert_array_equal(added.asnumpy(), [[4, 4], [1, 1], [4, 4]])
    np.testing.assert_array_equal(x.grad.asnumpy(), [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(values.grad.asnumpy(), [[2], [2], [6]])
    single = array([[1], [0]], "int32")
    with autograd.record():
        written = npx.index_update(x, single, values[:1, 0])
    written.backward(array([[1, 1], [2, 2], [3, 3]]))
    np.testing.assert_array_equal(written.asnumpy(), [[1, 1], [1, 1], [1, 1]])
    np.testing.assert_array_equal(x.grad.asnumpy(), [[1, 1], [0, 2], [3, 3]])


def test_control_flow():
    x = array(X[0])
    sums, last = npx.foreach(lambda row, total: (row + total, row + total), x, x[0] * 0)
    np.testing.assert_array_equal(sums.asnumpy(), X[0].cumsum(0))
    assert type(last) is ndarray
    _, (n,) = npx.while_loop(lambda n: n < 5, lambda n: (n, n + 2), [array([1])], 10)
    assert n.item() == 5
    assert npx.cond(array([0]), lambda: x, lambda: x + 1)[0, 0].item() == 1


def test_images():
    image = array(np.ones((4, 6, 3)), "uint8")
    assert type(npx.image.to_tensor(image)) is ndarray
    assert npx.image.to_tensor(image).shape == (3, 4, 6)
    assert npx.image.ImageIter is mx.image.ImageIter
    assert "ImageIter" in dir(npx.image)


# -- random numbers --------------------------------------------------------------------------------


def test_bernoulli():
    drawn = npx.random.bernoulli(0.3, size=(100, 100))
    assert (type(drawn), drawn.dtype) == (ndarray, np.float32)
    assert set(np.unique(drawn.asnumpy())) == {0, 1}
    assert drawn.asnumpy().mean() == pytest.approx(0.3, abs=0.03)
    p = array([0, 1])
    np.testing.assert_array_equal(npx.bernoulli(p, size=(3, 2)).asnumpy(), [[0, 1]] * 3)
    np.testing.assert_array_equal(npx.bernoulli(logit=p * 200 - 100).asnumpy(), [0, 1])
    assert npx.bernoulli(logit=100, dtype="int32").dtype == np.int32
    assert npx.bernoulli(0.5).shape == ()
    with pytest.raises(ValueError, match="either prob or logit"):
        npx.bernoulli()


@pytest.mark.parametrize("prob", [1.5, -0.5, [0.5, 2.0]])
def test_probabilities_out_of_range(prob):
    prob = adopt(nd.array(prob)) if isinstance(prob, list) else prob
    with pytest.raises(ValueError, match="expected numbers from 0 to 1"):
        npx.random.bernoulli(prob)


def test_slice_of_no_axis():
    x = adopt(nd.ones((2, 3)))
    for step in (None, []):
        assert npx.slice(x, begin=[], end=[], step=step).shape == (2, 3)


def test_batches_of_distributions():
    low, high = array([[0], [5]]), array([1, 6])
    drawn = npx.random.uniform_n(low, high + 5, batch_shape=(3,))
    assert drawn.shape == (3, 2, 2)
    assert npx.random.normal_n(low, 1, batch_shape=4).shape == (4, 2, 1)
    assert npx.random.normal_n().shape == ()
    assert npx.random.uniform_n(low).shape == (2, 1)


def test_seeds():
    npx.seed(5)
    first = npx.random.bernoulli(0.5, size=20).asnumpy()
    npx.random.seed(5)
    np.testing.assert_array_equal(npx.random.bernoulli(0.5, size=20).asnumpy(), first)


# -- switches, devices, files ----------------------------------------------------------------------


def test_switches():
    with np_shape(False) if not is_np_array() else np_array(False), np_shape(False):
        npx.set_np(dtype=True)
        assert is_np_shape() and is_np_array() and npx.is_np_default_dtype()
        npx.reset_np()
        assert not (is_np_shape() or is_np_array() or npx.is_np_default_dtype())
        assert npx.use_np(npx.is_np_array)()
        with npx.np_shape(), npx.np_array():
            assert is_np_array()


def test_devices():
    assert npx.num_gpus() == 0
    assert npx.current_context() == npx.cpu()
    npx.waitall()
    with pytest.raises(mx.MXNetError, match=r"no gpu\(1\)"):
        npx.gpu_memory_info(1)


def test_files(tmp_path):
    path = str(tmp_path / "arrays")
    scalar, x = array(3), array(X)
    npx.save(path, {"x": x, "scalar": scalar})
    found = npx.load(path)
    assert {name: (type(a), a.shape) for name, a in found.items()} == {
        "x": (ndarray, (2, 3, 4)),
        "scalar": (ndarray, ()),
    }
    np.testing.assert_array_equal(found["x"].asnumpy(), X)
    for given in (x, [x]):
        npx.save(path, given)
        (only,) = npx.load(path)
        assert type(only) is ndarray


def test_exchange():
    values = np.ones(3, "float32")
    shared = npx.from_numpy(values)
    shared[0] = 5
    assert (type(shared), values[0]) == (ndarray, 5)
    again = npx.from_dlpack(npx.to_dlpack_for_write(shared))
    assert (type(again), again[0].item()) == (ndarray, 5)
