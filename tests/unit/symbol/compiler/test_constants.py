"""Constants of a graph are computed when it is compiled."""

import numpy as np
import pytest

from opforge import cpu, nd, sym
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower


def compiled(symbol, **shapes):
    graph = lower(symbol, shapes, dict.fromkeys(shapes, 0))
    return compile_graph(graph, {})


def test_shape_dependent_values_are_constants():
    x = sym.var("x")
    made = compiled(x + (sym.zeros_like(sym.exp(x)) + 2.0), x=(3,))
    assert [call.label for call in made.calls] == ["_plus0"] or len(made.calls) == 1
    assert len(made.constants) >= 1
    (value,) = [a for a in made.constants.values() if a.asnumpy().max() == 2]
    assert value.shape == (3,)


def test_values_are_right_and_shared_by_programs():
    x = sym.var("x")
    symbol = x * sym.arange(4) + sym.ones((4,))
    executor = symbol.bind(cpu(), {"x": nd.array([1, 2, 3, 4])})
    for _ in range(2):
        assert executor.forward()[0].asnumpy().tolist() == [1, 3, 7, 13]
    made = compiled(symbol, x=(4,))
    first, second = (made.instantiate() for _ in range(2))
    for slot, array in made.constants.items():
        assert first.get(slot) is array and second.get(slot) is array


def test_an_output_that_is_a_constant():
    executor = sym.Group([sym.zeros((2, 3)), sym.var("x") * 1]).bind(cpu(), {"x": nd.ones(2)})
    out = executor.forward()[0]
    out[:] = 7  # the caller still owns the array
    np.testing.assert_array_equal(executor.forward()[0].asnumpy(), np.zeros((2, 3)))


def test_large_constants_and_random_numbers_are_made_in_each_run():
    assert not compiled(sym.zeros((1 << 19,)) + sym.var("x"), x=(1 << 19,)).constants
    symbol = sym.random.uniform(shape=(8,)) + sym.var("x")
    executor = symbol.bind(cpu(), {"x": nd.zeros(8)})
    draws = [executor.forward()[0].asnumpy().copy() for _ in range(2)]
    assert not np.array_equal(*draws)


@pytest.mark.plugins
def test_in_place_reshapes_are_not_steps():
    x = sym.var("x")
    made = compiled(sym.sum(sym.reshape(sym.softmax(x), shape=(-1,))), x=(3, 4))
    assert len(made.calls) == 2
