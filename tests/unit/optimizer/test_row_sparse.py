"""Steps by row-sparse gradients, beside those by dense ones."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, optimizer
from opforge.optimizer.row_sparse import GatheredRows

RULES = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9, "wd": 0.1, "lazy_update": False}),
    ("sgd", {"momentum": 0.9, "wd": 0.1}),
    ("nag", {"momentum": 0.9}),
    ("adam", {"wd": 0.1}),
    ("adam", {"lazy_update": False}),
    ("adagrad", {"clip_gradient": 0.5}),
    ("adagrad", {"wd": 0.1}),
    ("rmsprop", {}),
    ("adadelta", {}),
]
#: Places in the table above where rows without a gradient stay as they are.
LAZY = {0, 2, 4, 6}


def stepped(name, options, make_grad, steps=3):
    updater = optimizer.get_updater(
        optimizer.create(name, learning_rate=0.1, **options)
        if name != "adadelta"
        else optimizer.create(name, **options)
    )
    weight = nd.arange(1, 13).reshape((6, 2))
    for step in range(steps):
        updater(0, make_grad(step), weight)
    return weight.asnumpy()


def grad_at(step):
    values = np.zeros((6, 2), np.float32)
    values[[1, 4]] = [[0.5, -1], [2, step]]
    return nd.array(values)


@pytest.mark.parametrize("rule", range(len(RULES)))
def test_steps_agree_with_dense_ones(rule):
    name, options = RULES[rule]
    dense = stepped(name, options, grad_at)
    sparse = stepped(name, options, lambda step: grad_at(step).tostype("row_sparse"))
    np.testing.assert_allclose(sparse[[1, 4]], dense[[1, 4]], rtol=1e-6)
    before = np.arange(1, 13).reshape(6, 2)
    if rule in LAZY:
        np.testing.assert_array_equal(sparse[[0, 2, 3, 5]], before[[0, 2, 3, 5]])
    else:
        np.testing.assert_allclose(sparse, dense, rtol=1e-6)


def test_rows_in_any_order_that_meet():
    weight = nd.zeros((4, 1))
    grad = nd.sparse.row_sparse_array(([[1.0], [2.0], [4.0]], [3, 0, 3]), shape=(4, 1))
    optimizer.get_updater(optimizer.create("sgd", learning_rate=1))(0, grad, weight)
    assert weight.asnumpy()[:, 0].tolist() == [-2, 0, 0, -5]


def test_several_weights_of_which_some_have_sparse_gradients():
    updater = optimizer.get_updater(optimizer.create("adam", learning_rate=0.5))
    weights = [nd.ones((3, 1)), nd.ones((3, 1)), nd.ones((3, 1))]
    grads = [
        nd.ones((3, 1)),
        nd.sparse.row_sparse_array(([[1.0]], [2]), shape=(3, 1)),
        nd.ones((3, 1)).tostype("csr"),
    ]
    updater([0, 1, 2], grads, weights)
    np.testing.assert_allclose(weights[0].asnumpy()[:, 0], 0.5, rtol=1e-5)
    np.testing.assert_allclose(weights[1].asnumpy()[:, 0], [1, 1, 0.5], rtol=1e-5)
    np.testing.assert_allclose(weights[2].asnumpy()[:, 0], 0.5, rtol=1e-5)


def test_a_gradient_without_rows_changes_nothing():
    weight = nd.ones((3, 1))
    optimizer.get_updater(optimizer.create("adam"))(0, nd.zeros((3, 1), stype="row_sparse"), weight)
    assert weight.asnumpy().tolist() == [[1], [1], [1]]


def test_float16_weights_and_rules_of_their_own_get_dense_gradients():
    grad = nd.sparse.row_sparse_array((np.ones((1, 1), "float16"), [2]), shape=(3, 1))
    weight = nd.ones((3, 1), dtype="float16")
    made = optimizer.create("sgd", learning_rate=0.5, multi_precision=True)
    optimizer.get_updater(made)(0, grad, weight)
    assert weight.asnumpy()[:, 0].tolist() == [1, 1, 0.5]


def test_rows_out_of_range_are_rejected_before_anything_changes():
    weight = nd.ones((3, 1))
    grad = nd.sparse.row_sparse_array(([[1.0], [1.0]], [0, 3]), shape=(3, 1))
    with pytest.raises(mx.MXNetError, match="index 3 is out of range"):
        optimizer.get_updater(optimizer.create("sgd"))(0, grad, weight)
    assert weight.asnumpy().tolist() == [[1], [1], [1]]


def test_states_come_and_go_as_they_are_kept():
    weight, state = nd.zeros((3, 1)), (nd.zeros((3, 1)), nd.ones((3, 1)))
    rows = GatheredRows(weight, nd.sparse.row_sparse_array(([[1.0]], [1]), shape=(3, 1)), state)
    rows.state[1][:] = 7
    rows.write_back()
    assert state[1].asnumpy()[:, 0].tolist() == [1, 7, 1]
    assert GatheredRows(weight, nd.zeros((3, 1), stype="row_sparse"), None).state is None
