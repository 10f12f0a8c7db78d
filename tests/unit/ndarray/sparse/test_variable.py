"""Gradients of sparse arrays, for every use of a variable."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.native.dispatch.tape import leads


def test_the_gradient_has_the_storage_type_of_the_variable_or_another(make_sparse, values, stype):
    for wanted in (None, "default", stype):
        x = make_sparse()
        x.attach_grad(stype=wanted)
        assert x.grad.stype == (wanted or stype)
        with autograd.record():
            y = nd.square(x) + 3 * x
        y.backward()
        np.testing.assert_array_equal(x.grad.asnumpy(), 2 * values + 3)


def test_all_uses_add_up(make_sparse, values):
    x, dense = make_sparse(), nd.array(values)
    x.attach_grad()
    dense.attach_grad()
    for z in (x, dense):
        with autograd.record():
            y = nd.dot(z, z, transpose_b=True).sum() + (z * 2).sum() + nd.exp(z).sum()
        y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), dense.grad.asnumpy(), rtol=1e-6)


def test_requests(make_sparse, values):
    x = make_sparse()
    for req, passes, factor in (("write", 2, 2), ("add", 3, 6)):
        x.attach_grad(req)
        for _ in range(passes):
            with autograd.record():
                y = x * 2
            y.backward()
        np.testing.assert_array_equal(x.grad.asnumpy(), np.full_like(values, factor))
    x.attach_grad("null")
    assert x.grad is None and not leads(x)


def test_a_written_variable_stays_one(make_sparse, values):
    x = make_sparse()
    x.attach_grad()
    x[:] = nd.array(values + 1)
    with autograd.record():
        y = x.tostype("default") * nd.array(values)
    np.testing.assert_array_equal(y.asnumpy(), (values + 1) * values)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), values)


def test_detached_and_unrecorded_copies_are_constants(make_sparse):
    x = make_sparse()
    x.attach_grad()
    with autograd.record():
        for constant in (x.detach(), x.copy()):
            assert not leads(constant) and constant.grad is None
        assert leads(x.tostype("default"))
    assert not leads(x.tostype("default"))
    assert not leads(3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_csr_matrix_gives_a_row_sparse_factor_the_rows_of_its_columns(dtype):
    matrix = nd.array([[0, 2, 0, 0], [0, 1, 0, 4]], dtype=dtype).tostype("csr")
    w = nd.ones((4, 3), dtype=dtype).tostype("row_sparse")
    w.attach_grad()
    with autograd.record():
        y = nd.dot(matrix, w)
    y.backward(nd.array([[1, 1, 1], [10, 10, 10]], dtype=dtype))
    assert w.grad.indices.asnumpy().tolist() == [1, 3]
    assert w.grad.data.asnumpy().tolist() == [[12, 12, 12], [40, 40, 40]]


def test_the_matrix_may_be_the_variable():
    a, b = np.array([[0, 2.0], [3, 0]]), np.array([[1.0, 4], [5, 6]])
    for order in (1, -1):
        matrix = nd.array(a).tostype("csr")
        matrix.attach_grad(stype="default")
        with autograd.record():
            y = nd.dot(*(matrix, nd.array(b))[::order])
        y.backward()
        wanted = np.ones((2, 2)) @ b.T if order == 1 else b.T @ np.ones((2, 2))
        np.testing.assert_array_equal(matrix.grad.asnumpy(), wanted)


def test_marks_are_rejected_where_they_do_not_fit(make_sparse):
    x = make_sparse()
    with pytest.raises(ValueError, match="must be equal"):
        autograd.mark_variables(x, nd.zeros((1, 1)))
    with pytest.raises(TypeError):
        autograd.mark_variables(None, nd.zeros((1, 1)))
    with pytest.raises(TypeError):
        autograd.mark_variables("x", nd.zeros((1, 1)))


CHAINS = [
    lambda x: nd.square(x),
    lambda x: x * 3,
    lambda x: nd.sparse.add(nd.sin(x), x),
    lambda x: nd.sparse.multiply(x, x) / 4,
    lambda x: nd.tanh(x).tostype("default").tostype("row_sparse"),
    lambda x: nd.sparse.retain(nd.cast_storage(x, "row_sparse"), nd.array([0, 2])),
    lambda x: nd._scatter_elemwise_div(x, nd.full(x.shape, 2)),
]


@pytest.mark.parametrize("number", range(len(CHAINS)))
def test_results_are_sparse_while_one_records_and_lead_to_the_variable(number):
    values = np.array([[0, 2, 0], [0, 0, 0], [1, 0, -3]], np.float32)
    head = np.arange(9, dtype=np.float32).reshape(3, 3)
    found = []
    for stype in ("row_sparse", "default"):
        x = nd.array(values).tostype(stype)
        x.attach_grad()
        with autograd.record():
            y = CHAINS[number](x)
        assert stype == "default" or y.stype == "row_sparse"
        y.backward(nd.array(head))
        found.append((y.asnumpy(), x.grad.asnumpy()))
    for sparse, dense in zip(*found, strict=True):
        np.testing.assert_allclose(sparse, dense, rtol=1e-6)


def test_heads_and_their_gradients_may_be_sparse(make_sparse, values):
    x = make_sparse()
    x.attach_grad()
    for head in (None, x.detach(), nd.array(values)):
        with autograd.record():
            y = nd.square(x)
        y.backward(head)
        flowing = 1 if head is None else values
        np.testing.assert_array_equal(x.grad.asnumpy(), 2 * values * flowing)
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        nd.square(x).backward()
    with pytest.raises(mx.MXNetError, match="not in a computational graph"):
        make_sparse().backward()


def test_gradients_by_sparse_variables_are_returned_dense(make_sparse, values):
    x = make_sparse()
    x.attach_grad()
    with autograd.record():
        y = nd.square(x) * x
        (first,) = autograd.grad(y, x, create_graph=True)
    assert first.stype == "default"
    np.testing.assert_allclose(first.asnumpy(), 3 * values**2, rtol=1e-6)
    first.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), 6 * values, rtol=1e-6)
    with pytest.raises(mx.MXNetError, match="attach_grad"):
        autograd.grad(y, make_sparse())


def test_copies_keep_their_graph_until_freed(make_sparse):
    x = make_sparse()
    x.attach_grad()
    with autograd.record():
        y = nd.square(x)
        assert leads(y) and leads(y.tostype(y.stype)) and not leads(y.detach())
    y.backward()
    assert not leads(y)
