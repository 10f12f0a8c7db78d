"""Subclasses of NDArray show the same memory; results of operators have the class of the input."""

import copy
import pickle

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base import numpy_semantics
from opforge.base.numpy_semantics import np_array, np_shape
from opforge.ndarray.array_classes import NDArray, as_class, as_requested, set_numpy_class


class Other(NDArray):
    """Another class of arrays."""

    __slots__ = ()

    def _operated(self, op, other, reverse, out):
        return op.__name__, reverse


def example():
    return as_class(nd.array([[1.0, 2.0], [3.0, 4.0]]), Other)


@pytest.fixture
def requested(monkeypatch):
    monkeypatch.setattr(numpy_semantics, "_numpy_class", [])
    set_numpy_class(Other)
    with np_shape(), np_array():
        yield


def test_it_shares_memory_and_history():
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
        z = as_class(y, Other)
        assert type(z) is Other and as_class(z, Other) is z
        (z * 3).backward()
    assert x.grad.asnumpy().tolist() == [6, 12]
    z[:] = 7
    assert y.asnumpy().tolist() == [7, 7]
    with pytest.raises(TypeError, match="does not derive from"):
        as_class(x, int)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x + x,
        lambda x: x + 1,
        lambda x: 2 / x,
        lambda x: -x,
        lambda x: x[0],
        lambda x: x[:, 1],
        lambda x: x[nd.array([0, 1])],
        lambda x: x.reshape((4,)),
        lambda x: nd.exp(x),
        lambda x: nd.sum(x),
        lambda x: nd.dot(x, x),
        lambda x: nd.concat(x, x, dim=0),
        lambda x: nd.split(x, 2)[1],
        lambda x: nd.topk(x, ret_typ="both")[0],
        lambda x: x.copy(),
        lambda x: x.astype("int32"),
        lambda x: x.detach(),
        lambda x: copy.copy(x),
    ],
)
@pytest.mark.parametrize("recorded", [False, True])
def test_results_have_the_class_of_the_input(call, recorded):
    x = example()
    x.attach_grad()
    if recorded:
        with autograd.record():
            assert type(call(x)) is Other
    else:
        assert type(call(x)) is Other
        assert type(call(as_class(x, NDArray))) is NDArray


def test_array_classes_override_operators():
    x = example()
    assert (x == x, x < 1, x + x.astype("float64")) == (
        ("eq", False),
        ("lt", False),
        ("add", False),
    )
    assert 1 - x.astype("int32") == ("sub", True)
    assert nd.array([1.0, 2.0]).__eq__(nd.array([1.0, 2.0])).asnumpy().tolist() == [1, 1]


@pytest.mark.plugins
def test_gradient_rules_and_authors_code_run_on_ndarrays():
    x = example()
    seen = []

    class Twice(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            seen.append(type(in_data[0]))
            self.assign(out_data[0], req[0], in_data[0] * 2)

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            seen.append(type(in_data[0]))
            self.assign(in_grad[0], req[0], out_grad[0] * 2)

    @mx.operator.register("twice_of_classes")
    class TwiceProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):
            return Twice()

    x.attach_grad()
    with autograd.record():
        y = nd.relu(nd.Custom(x, op_type="twice_of_classes")) * nd.softmax(x) * (x * x)
    y.backward()
    assert set(seen) == {NDArray} and type(y) is Other
    reference = nd.array(x.asnumpy())
    reference.attach_grad()
    with autograd.record():
        z = 2 * reference * nd.softmax(reference) * (reference * reference)
    z.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), reference.grad.asnumpy(), rtol=1e-5)


def test_gradients_have_the_class_of_the_variable():
    x = example()
    x.attach_grad()
    with autograd.record():
        y = x * x * x
        (dx,) = autograd.grad(y, [x], create_graph=True)
        assert type(dx) is Other
        z = dx.sum()
    z.backward()
    assert x.grad.asnumpy().tolist() == [[6, 12], [18, 24]]


def test_copies_and_pickles():
    x = example()
    assert pickle.loads(pickle.dumps(as_class(x, NDArray))).asnumpy().tolist() == [[1, 2], [3, 4]]


def test_without_a_class_of_numpy_arrays_are_ndarrays(monkeypatch):
    monkeypatch.setattr(numpy_semantics, "_numpy_class", [])
    with np_shape(), np_array():
        assert type(as_requested(nd.ones((1,)))) is NDArray


@pytest.mark.plugins
@pytest.mark.parametrize("hybridized", [False, True])
def test_results_have_the_requested_array_class(requested, hybridized):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(3, activation="relu"), gluon.nn.BatchNorm(), gluon.nn.Dense(2))
    net.initialize()
    net.hybridize(hybridized)
    trainer = gluon.Trainer(net.collect_params(), "adam")
    loader = gluon.data.DataLoader(
        gluon.data.ArrayDataset(
            np.arange(20, dtype="float32").reshape(4, 5), np.ones((4, 2), "float32")
        ),
        2,
    )
    for data, label in loader:
        assert type(data) is type(label) is Other
        with autograd.record():
            out = net(data)
            loss = gluon.loss.L2Loss()(out, label)
        loss.backward()
        trainer.step(2)
        assert type(out) is type(loss) is Other
    assert {type(p.data()) for p in net.collect_params().values()} == {Other}
    assert type(net[0].weight.grad()) is Other
    assert np.abs(net[2].weight.grad().asnumpy()).sum() > 0


def test_other_values_are_left_alone(requested):
    values = ["text", 3, (nd.ones((1,)), [nd.zeros((1,))])]
    assert as_requested(values) is values
    assert type(values[2][0]) is type(values[2][1][0]) is Other
