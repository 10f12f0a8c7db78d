"""Programs of a compiled graph."""

import numpy as np

from opforge import cpu, nd, sym
from opforge.native.graph.arena import Arena
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower


def compiled():
    a = sym.var("a")
    hidden = sym.dot(a, a)
    return compile_graph(lower(sym.dot(hidden, hidden), {"a": (2, 2)}, {}), {})


def run(program, made, value, arena):
    result = nd.empty((2, 2))
    program.put(made.inputs["a"], nd.array(value))
    program.put(made.outputs[0], result)
    program.enter(arena)
    program.run(0, made.n_forward, False)
    return result.asnumpy()


def test_two_programs_do_not_disturb_each_other():
    made, arena = compiled(), Arena(cpu())
    first, second = (made.instantiate() for _ in range(2))
    one, two = np.float32([[1, 2], [3, 4]]), np.float32([[0, 1], [1, 0]])
    np.testing.assert_array_equal(run(first, made, one, arena), one @ one @ one @ one)
    np.testing.assert_array_equal(run(second, made, two, arena), np.eye(2))
    np.testing.assert_array_equal(run(first, made, one, arena), one @ one @ one @ one)


def test_the_arena_holds_internal_values():
    made = compiled()
    given = {*made.inputs.values(), *made.outputs}
    assert set(made.layout.offsets) == set(range(len(made.types))) - given
    assert made.layout.nbytes >= 16
