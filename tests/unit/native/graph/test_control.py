import pytest

import opforge as mx
from opforge import nd, sym
from opforge.native.graph.arena import Arena
from opforge.native.graph.control import BranchStep, LoopBackwardStep, LoopStep
from opforge.native.graph.program import Program
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower

F32 = 0


def programs(symbol, requests=None, **shapes):
    """Programs of a graph whose inputs come in the order of `shapes`."""
    shapes = shapes or {"x": (2,), "s": (2,)}
    compiled = compile_graph(lower(symbol, shapes, {}), requests or {})
    return compiled.programs(list(shapes), compiled.instantiate)


@pytest.fixture
def body():
    """A body that returns its row times the state, and the sum of both."""
    x, s = sym.var("x"), sym.var("s")
    return sym.Group([sym.broadcast_mul(x, s), x + s])


def program_of(steps, *arrays):
    made = Program([(step, "it", i, o) for step, i, o in steps], list(arrays))
    made.enter(Arena(mx.cpu()))
    return made


def test_loop_reuses_one_program(body):
    inside = programs(body)
    x, s = nd.array([[1, 2], [3, 4]]), nd.array([1, 1])
    rows, last = nd.zeros((2, 2)), nd.zeros((2,))
    loop = LoopStep(inside, 1, 1, 2, False)
    program_of([(loop, [0, 1], [2, 3])], x, s, rows, last).run(0, 1, False)
    assert rows.asnumpy().tolist() == [[1, 2], [6, 12]]
    assert last.asnumpy().tolist() == [5, 7]
    assert inside.n_made == 1


def test_loop_keeps_a_program_per_iteration(body):
    inside = programs(body, {"x": "write", "s": "write"})
    x, s = nd.array([[1, 2], [3, 4]]), nd.array([1, 1])
    arrays = [x, s, nd.zeros((2, 2)), nd.zeros((2,)), nd.ones((2, 2)), nd.zeros((2,))]
    grads = [nd.zeros((2, 2)), nd.zeros((2,))]
    loop = LoopStep(inside, 1, 1, 2, True)
    back = LoopBackwardStep(loop, [True, True])
    outer = program_of([(loop, [0, 1], [2, 3]), (back, [4, 5], [6, 7])], *arrays, *grads)
    for _ in range(2):
        outer.run(0, 2, True)
    assert inside.n_made == 2
    assert grads[0].asnumpy().tolist() == [[4, 5], [2, 3]]
    assert grads[1].asnumpy().tolist() == [4, 6]
    outer.leave()
    assert not outer.is_inside
    outer.enter(Arena(mx.cpu()))
    outer.run(0, 1, True)
    assert inside.n_made == 2


def test_loop_without_iterations_returns_the_initial_states(body):
    inside = programs(body, {"x": "write", "s": "write"})
    x, s, empty = nd.zeros((0, 2)), nd.array([1, 2]), nd.zeros((0, 2))
    arrays = [x, s, empty, nd.zeros((2,)), empty, nd.array([3, 4]), empty, nd.zeros((2,))]
    loop = LoopStep(inside, 1, 1, 0, True)
    back = LoopBackwardStep(loop, [True, True])
    program_of([(loop, [0, 1], [2, 3]), (back, [4, 5], [6, 7])], *arrays).run(0, 2, True)
    assert arrays[3].asnumpy().tolist() == [1, 2]
    assert arrays[7].asnumpy().tolist() == [3, 4]


def test_condition_ends_a_loop_and_the_other_rows_are_zero():
    s = sym.var("s")
    inside = programs(sym.Group([s * 1, s + 1]), s=(1,))
    condition = programs(s < 3, s=(1,))
    rows, last = nd.ones((4, 1)), nd.ones((1,))
    loop = LoopStep(inside, 0, 1, 4, False, [], [], condition, ((1,), F32))
    program_of([(loop, [0], [1, 2])], nd.array([1]), rows, last).run(0, 1, False)
    assert rows.asnumpy().ravel().tolist() == [1, 2, 0, 0]
    assert last.asscalar() == 3


@pytest.mark.parametrize(("start", "want"), [(1, 10), (0, 100)])
def test_branch_is_chosen(start, want):
    s = sym.var("s")
    graphs = [programs(sym.Group([s * 0 + value]), s=(1,)) for value in (100, 10)]
    out = nd.zeros((1,))
    step = BranchStep(programs(s * 1, s=(1,)), ((1,), F32), graphs, False)
    program_of([(step, [0], [1])], nd.array([start]), out).run(0, 1, False)
    assert out.asscalar() == want


def test_error_in_an_iteration_returns_the_programs(body):
    inside = programs(body)
    loop = LoopStep(inside, 1, 1, 2, True)
    outer = program_of(
        [(loop, [0, 1], [2, 3])], nd.ones((2, 2)), nd.ones((2,)), nd.zeros((2, 2)), nd.zeros((2,))
    )
    broken = program_of(
        [(LoopStep(inside, 1, 1, 2, True), [0, 1], [2, 3])],
        nd.ones((2, 2)), nd.ones((2,)), nd.zeros((2, 3)), nd.zeros((2,)),
    )  # fmt: skip
    with pytest.raises(mx.base.MXNetError):
        broken.run(0, 1, True)
    outer.run(0, 1, True)
    assert inside.n_made == 2


def test_loop_runs_alone_in_an_arena(body):
    loop = LoopStep(programs(body), 1, 1, 1, False)
    program = Program([(loop, "it", [0, 1], [2, 3])], [nd.ones((1, 2)), nd.ones((2,))] * 2)
    with pytest.raises(RuntimeError, match="node 'it' runs outside an arena"):
        program.run(0, 1, False)
