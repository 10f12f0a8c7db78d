"""Operators on storage types, as dense arrays and graphs have them."""

import opforge as mx
from opforge import autograd, nd


def test_in_a_graph_the_storage_type_changes_nothing():
    x = mx.sym.var("x")
    y = mx.sym.cast_storage(x, stype="csr") * 2
    run = y.bind(mx.cpu(), {"x": nd.array([[1, 2]])}, {"x": nd.zeros((1, 2))})
    assert run.forward(is_train=True)[0].asnumpy().tolist() == [[2, 4]]
    run.backward(nd.ones((1, 2)))
    assert run.grad_dict["x"].asnumpy().tolist() == [[2, 2]]


def test_rows_of_a_dense_array_are_retained():
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    x.attach_grad()
    with autograd.record():
        y = nd.sparse.retain(x, nd.array([2, 0, -1, 9]))
    y.backward(nd.array([[1, 1], [10, 10], [100, 100]]))
    assert y.asnumpy().tolist() == [[1, 2], [0, 0], [5, 6]]
    assert x.grad.asnumpy().tolist() == [[1, 1], [0, 0], [100, 100]]
    graph = mx.sym.sparse.retain(mx.sym.var("x"), mx.sym.var("rows"))
    (y,) = graph.eval(x=x, rows=nd.array([1]))
    assert y.asnumpy().tolist() == [[0, 0], [3, 4], [0, 0]]


def test_square_sum_of_a_dense_array():
    x = nd.array([[1, 2], [3, 4]])
    x.attach_grad()
    with autograd.record():
        y = nd._square_sum(x, axis=1)
    y.backward(nd.array([1, 10]))
    assert y.asnumpy().tolist() == [5, 25]
    assert x.grad.asnumpy().tolist() == [[2, 4], [60, 80]]
