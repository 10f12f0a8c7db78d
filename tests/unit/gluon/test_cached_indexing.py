"""Hybridized blocks that index, iterate and measure their inputs like arrays."""

import numpy as np
import pytest

from opforge import autograd, gluon, nd, sym
from opforge.base.errors import NotImplementedForSymbol

#: Functions of one array of shape (3, 2); rows of other numbers are tried as well.
FUNCTIONS = {
    "a[0]": lambda F, a: a[0],
    "a[-1]": lambda F, a: a[-1],
    "a[0:1]": lambda F, a: a[0:1],
    "a[-1:]": lambda F, a: a[-1:],
    "a[1:9]": lambda F, a: a[1:9],
    "a[::-1]": lambda F, a: a[::-1],
    "a[:, 0]": lambda F, a: a[:, 0],
    "a[0, 1]": lambda F, a: a[0, 1],
    "a[0][1]": lambda F, a: a[0][1],
    "a[...]": lambda F, a: a[...],
    "a[..., -1]": lambda F, a: a[..., -1],
    "a[:, None]": lambda F, a: a[:, None],
    "results": lambda F, a: F.exp(a)[1:] * a[1:],
    "len": lambda F, a: a * len(a),
    "sum": lambda F, a: sum(a),
    "zip": lambda F, a: F.stack(*[x * y for x, y in zip(a, a[::-1], strict=True)]),
    "enumerate": lambda F, a: F.concat(*[at * row for at, row in enumerate(a)], dim=0),
    "reversed": lambda F, a: F.stack(*reversed(a)),
    "unpacked": lambda F, a: F.add_n(*a),
    "rows of rows": lambda F, a: sum(x for row in a for x in row),
    "parameters": lambda F, a: a[:1] * F.ones((2, 2))[0],
    "several outputs": lambda F, a: F.split(a, num_outputs=2, axis=1)[1],
    "a loop": lambda F, a: F.contrib.foreach(lambda r, s: (r[0] + r[1:], s), a, a[0])[0],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients_are_those_of_arrays(name, hybrid, step):
    block = hybrid(FUNCTIONS[name])
    for rows in (3, 2, 5):
        x = nd.arange(rows * 2).reshape((rows, 2)) + 1
        block.hybridize(False)
        expected = step(block, x)
        block.hybridize()
        found = step(block, x)
        for got, value in zip(found, expected, strict=True):
            np.testing.assert_array_equal(got, value)


def test_a_graph_of_slices_serves_all_sizes(hybrid):
    block = hybrid(lambda F, a: a[-1] + a[0, 0])
    for rows in (3, 2, 5):
        block(nd.ones((rows, 2)))
    assert block.count == 1


def test_an_index_is_checked_for_each_size(hybrid):
    block = hybrid(lambda F, a: a[2])
    assert block(nd.array([1, 2, 3])).asscalar() == 3
    with (
        pytest.warns(UserWarning, match="runs imperatively"),
        pytest.raises(IndexError, match="out of bounds"),
    ):
        block(nd.array([1, 2]))
    with pytest.raises(IndexError, match="out of bounds"):
        hybrid(lambda F, a: a[-4])(nd.array([1, 2, 3]))


def test_indices_that_a_graph_lacks_are_errors(hybrid):
    for function in (lambda F, a: a[a > 1], lambda F, a: a[[0, 2]], lambda F, a: a[np.array([0])]):
        with pytest.raises(NotImplementedForSymbol, match=r"F\.take"):
            hybrid(function)(nd.array([1, 2, 3]))


def test_a_block_that_is_called_with_symbols_indexes_them_as_arrays(hybrid):
    for function in (lambda F, a: a[0], lambda F, a: a[:, -1], lambda F, a: a[1, 0]):
        block, x = hybrid(function), nd.array([[1, 2], [3, 4]])
        found = block(sym.var("a")).eval(a=x)[0]
        assert found.shape == block(x).shape
        np.testing.assert_array_equal(found.asnumpy(), block(x).asnumpy())
    assert hybrid(lambda F, a: a[1])(sym.var("a")).eval(a=nd.array([1, 2]))[0].shape == (1,)
    for function in (lambda F, a: a[..., 0], lambda F, a: a[:, None], lambda F, a: a * len(a)):
        with pytest.raises(AttributeError, match="infer_shape"):
            hybrid(function)(sym.var("a"))


def test_a_child_returns_one_output_to_a_symbol_block(hybrid):
    inner = gluon.SymbolBlock(sym.var("x") * 2, sym.var("x"))
    block = hybrid(lambda F, a: inner(a) + a[0:1])
    with autograd.pause():
        assert block(nd.ones((2, 1))[0:1]).asnumpy().tolist() == [[3]]


def test_a_symbol_outside_of_blocks_selects_outputs():
    x = sym.var("x")
    assert x[0].name == x[-1].name == x["x"].name == "x"
    assert len(x) == len(x[0:1]) == len([*x]) == 1
    for key in (1, -2):
        with pytest.raises(IndexError, match="1 outputs"):
            x[key]
    for key in ((0, 0), None, ..., 1.5, x):
        with pytest.raises(TypeError, match="only support integer index"):
            x[key]
