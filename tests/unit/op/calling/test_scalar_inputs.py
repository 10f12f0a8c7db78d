"""Numbers instead of arrays, if a declaration allows them."""

import numpy as np
import pytest

import opforge
from opforge import autograd, nd, sym
from opforge.op.calling.scalar_inputs import converting_invoke

X = np.array([[1.0, -2.0], [3.0, -4.0]], "float32")


@pytest.mark.parametrize(
    ("x", "y"),
    [(None, 0), (0.5, None), (1, 0), (None, np.float32(2)), (None, None)],
    ids=["right", "left", "both", "NumPy's", "none"],
)
def test_where(x, y):
    given = [nd.array(X) if value is None else value for value in (x, y)]
    expected = np.where(X > 0, *(X if value is None else value for value in (x, y)))
    found = nd.where(nd.array(X) > 0, *given)
    assert found.dtype == np.float32 and found.asnumpy().tolist() == expected.tolist()
    arguments = [
        sym.var(name) if value is None else value for name, value in zip("xy", (x, y), strict=True)
    ]
    symbol = sym.where(sym.var("c"), *arguments)
    bound = {name: nd.array(X) for name in symbol.list_arguments()}
    bound["c"] = nd.array(X) > 0
    result = symbol.bind(opforge.cpu(), bound).forward()[0]
    assert result.asnumpy().tolist() == expected.tolist()


def test_the_gradient_is_that_of_the_array():
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = nd.where(x > 0, x * 2, 1)
    y.backward()
    assert x.grad.asnumpy().tolist() == [[2, 0], [2, 0]]


def test_other_objects_are_not_scalars():
    with pytest.raises(TypeError, match="input 'y' must be an NDArray, got str"):
        nd.where(nd.ones(2), nd.ones(2), "a")
    with pytest.raises(TypeError, match="condition"):
        nd.where(1, nd.ones(2), 0)


def test_operators_without_scalars_get_their_arguments_unchanged():
    seen = []
    call = converting_invoke(("a", "b"), ("b",), lambda: None, lambda *given: seen.append(given))
    call("handle", ("x", "y"), (), None)
    assert seen == [("handle", ("x", "y"), (), None)]
