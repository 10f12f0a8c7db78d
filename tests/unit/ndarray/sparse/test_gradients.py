"""Sparse gradients of dense variables: sums by rows, whatever a rule returns."""

import numpy as np
import pytest

from opforge import autograd, nd
from opforge.native.dispatch import tape


def recorded_rows(table, *rows):
    """Take rows by a callback on the tape, whose gradient is row-sparse."""
    with autograd.pause():
        result = nd.take(table, nd.array(rows))
    shape = table.shape

    def backward(grads):
        return [nd.sparse.row_sparse_array((grads[0], rows), shape=shape)]

    tape.record_callback((table,), [result], backward)
    return result


def table(stype="row_sparse", grad_req="write"):
    made = nd.ones((5, 2))
    made.attach_grad(grad_req, stype)
    return made


def test_it_has_the_rows_that_were_used():
    x = table()
    with autograd.record():
        y = recorded_rows(x, 3, 1, 3) * 2 + recorded_rows(x, 0, 1, 1)
    y.backward()
    assert x.grad.stype == "row_sparse" and x._fresh_grad
    assert x.grad.indices.asnumpy().tolist() == [0, 1, 3]
    assert x.grad.asnumpy()[:, 0].tolist() == [1, 4, 0, 4, 0]


def test_dense_gradients_are_added():
    x = table()
    with autograd.record():
        y = recorded_rows(x, 2).sum() + (x * nd.array([[0, 1]] + [[0, 0]] * 4)).sum()
    y.backward()
    assert x.grad.asnumpy().tolist() == [[0, 1], [0, 0], [1, 1], [0, 0], [0, 0]]
    assert x.grad.indices.asnumpy().tolist() == [0, 2]
    with autograd.record():
        y = x * 0
    y.backward()
    assert x.grad.data.shape == (0, 2)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_gradients_may_add_up(stype):
    x = table(stype, "add")
    kept = x.grad
    for _ in range(2):
        with autograd.record():
            y = recorded_rows(x, 4, 0)
        y.backward()
    assert x.grad is kept and x.grad.stype == stype
    assert x.grad.asnumpy()[:, 1].tolist() == [2, 0, 0, 0, 2]


@pytest.mark.parametrize("stype", ["default", None])
def test_a_dense_gradient_takes_rows(stype):
    x = table(stype)
    with autograd.record():
        y = recorded_rows(x, 1, 1) * 3
    y.backward()
    assert x.grad.stype == "default" and x.grad.asnumpy()[:, 0].tolist() == [0, 6, 0, 0, 0]


def test_row_gradients_pass_through_computed_values():
    x = table()
    with autograd.record():
        y = recorded_rows(x * 2, 1)
    y.backward()
    assert x.grad.asnumpy()[:, 0].tolist() == [0, 2, 0, 0, 0]


def test_grad_returns_dense_arrays_and_leaves_it_alone():
    x = table()
    with autograd.record():
        y = recorded_rows(x, 1)
    (found,) = autograd.grad(y, [x])
    assert found.stype == "default" and found.asnumpy()[:, 0].tolist() == [0, 1, 0, 0, 0]
    assert x.grad.data.shape == (0, 2)


def test_hooks_get_it_complete():
    x, seen = table(), []
    tape.set_hooks(x, {0: lambda grad: seen.append(grad.indices.asnumpy().tolist())})
    with autograd.record():
        y = recorded_rows(x, 1).sum() + recorded_rows(x, 4).sum()
    y.backward()
    assert seen == [[1, 4]]


@pytest.mark.parametrize(
    ("row", "rows", "error", "message"),
    [
        (9, 5, RuntimeError, "the index 9 is out of range"),
        (-1, 5, RuntimeError, "the index -1 is out of range"),
        (0, 4, ValueError, r"a gradient has shape \(4, 2\), its array has shape \(5, 2\)"),
    ],
)
def test_malformed_rows_are_rejected(row, rows, error, message):
    x, y = table(), nd.ones((1,))
    given = nd.sparse.row_sparse_array((np.ones((1, 2), "float32"), [row]), shape=(rows, 2))
    with autograd.record():
        tape.record_callback((x,), [y], lambda grads: [given])
        y = recorded_rows(x, 1).sum() + y
    with pytest.raises(error, match=message):
        y.backward()
    assert x.grad.asnumpy().sum() == 0


def test_marks_of_the_wrong_kind():
    with pytest.raises(TypeError, match="must be an NDArray, got list"):
        autograd.mark_variables([nd.ones((1,))], [[0]])
    with pytest.raises(ValueError, match="they must be equal"):
        autograd.mark_variables([nd.ones((1,))], [nd.zeros((2,), stype="row_sparse")])


@pytest.mark.parametrize("request_", ["write", "add"])
def test_sparse_gradients_are_added_where_that_is_asked_for(request_):
    weight = nd.ones((3, 2))
    weight.attach_grad(request_, stype="row_sparse")
    matrix = nd.sparse.csr_matrix(np.array([[0, 2, 0]], "float32"))
    for _ in range(2):
        with autograd.record():
            y = nd.sparse.dot(matrix, weight)
        y.backward()
    assert weight.grad.stype == "row_sparse"
    expected = 4 if request_ == "add" else 2
    assert weight.grad.asnumpy().tolist() == [[0, 0], [expected] * 2, [0, 0]]
