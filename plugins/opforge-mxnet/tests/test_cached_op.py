"""The numbers are those of MXNet 1.9.1."""

import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym


def product():
    return sym.var("a") * sym.var("b") + 2


def pair():
    """Return a group of the product and of a."""
    whole = product()
    return sym.Group([whole, whole.get_internals()["a"]])


def test_a_symbol_is_a_function_of_arrays_of_any_shape():
    op = nd.CachedOp(product())
    a, b = nd.array([1, 2]), nd.array([3, 4])
    assert op(a, b).asnumpy().tolist() == [5, 10]
    b[:] = 1
    assert op(a, b).asnumpy().tolist() == [3, 4]
    assert op(nd.ones((2, 3)), nd.ones((2, 3))).shape == (2, 3)


def test_several_outputs_are_a_list():
    op = nd.CachedOp(pair(), [("static_alloc", True)])
    found = op(nd.array([1]), nd.array([3]))
    assert [value.asscalar() for value in found] == [5, 1]


def test_results_are_written_to_given_arrays():
    one, other = nd.zeros((1,)), nd.zeros((1,))
    assert nd.CachedOp(product())(nd.ones(1), nd.ones(1), out=one) is one
    assert one.asscalar() == 3
    both = [one, other]
    assert nd.CachedOp(pair())(nd.array([4]), nd.ones(1), out=both) is both
    assert (one.asscalar(), other.asscalar()) == (6, 4)


@pytest.mark.parametrize("gives_out", [False, True])
def test_gradients_flow_through_it(gives_out):
    op, x = nd.CachedOp(sym.var("a") * 3), nd.ones(2)
    x.attach_grad()
    with mx.autograd.record():
        out = nd.zeros(2)
        y = op(x, out=out) if gives_out else op(x)
        y = y * 2
    y.backward()
    assert x.grad.asnumpy().tolist() == [6, 6]


def test_inputs_include_auxiliary_states():
    norm = sym.BatchNorm(sym.var("d"), fix_gamma=False, name="bn")
    x = nd.array([[1, 2], [3, 5]])
    arrays = [nd.ones(2), nd.zeros(2), nd.zeros(2), nd.ones(2)]
    expected = [[0.9995004, 1.9990008], [2.9985013, 4.9975019]]
    np.testing.assert_allclose(nd.CachedOp(norm)(x, *arrays).asnumpy(), expected, rtol=1e-6)


def test_other_arguments_are_errors():
    op = nd.CachedOp(product())
    with pytest.raises(TypeError, match=r"got 1 arrays, expected one for each input.*: a, b"):
        op(nd.ones(1))
    with pytest.raises(TypeError, match=r"unexpected keyword argument\(s\): x"):
        op(nd.ones(1), nd.ones(1), x=1)


def test_hooks_get_the_outputs_of_operators():
    seen = []
    op = nd.CachedOp(sym.exp(sym.var("a") * 3, name="e"))
    op._register_op_hook(lambda name, kind, array: seen.append((name, array.shape)))
    op(nd.ones(2))
    assert (b"e_0", (2,)) in seen


def test_other_names():
    from opforge.ndarray._internal import CachedOp
    from opforge.ndarray.op import CachedOp as OfOperators

    assert CachedOp is OfOperators is nd.CachedOp


def test_graphs_in_json_are_operators():
    graph = product().tojson()
    called = nd._internal._CachedOp(nd.array([2]), nd.array([5]), subgraph=graph)
    assert called.asscalar() == 12
    x = sym.var("x")
    composed = sym._internal._CachedOp(x, x + 1, subgraph=graph)
    assert composed.eval(x=nd.array([2]))[0].asscalar() == 8
