"""Single steps; compiled graphs are tested with them."""

import pytest

from opforge import nd, sym
from opforge.native.graph.program import Program
from opforge.native.graph.steps import OperatorBackwardStep, Step, StoreStep, TermStep
from opforge.symbol.compiler.accumulation import accumulating_computation
from opforge.symbol.compiler.lowering import lower


def run(step, *arrays):
    """Run a step whose last array is its output."""
    *inputs, output = range(len(arrays))
    Program([(step, "s", inputs, [output])], arrays).run(0, 1, False)
    return arrays[output].asnumpy().tolist()


def test_base_step_raises():
    with pytest.raises(NotImplementedError, match="Step"):
        Program([(Step(), "s", [], [])], []).run(0, 1, False)


@pytest.mark.parametrize(("req", "want"), [("write", [1, 2]), ("add", [11, 22])])
def test_array_is_delivered(req, want):
    assert run(StoreStep(req), nd.array([1, 2]), nd.array([10, 20])) == want


def test_backward_is_that_of_a_step():
    with pytest.raises(TypeError, match="forward"):
        OperatorBackwardStep(None, ["write"])


def plan_of(function, **shapes):
    """The plan of the call that a graph is."""
    return lower(function(*map(sym.var, shapes)), shapes, {}).outputs[0][0].plan


@pytest.mark.parametrize(
    ("adds", "want"), [(False, [[3, 4], [6, 8]]), (True, [[13, 24], [36, 48]])]
)
def test_term_is_written_or_added(adds, want):
    plan = plan_of(lambda a, b: sym.dot(a, b, transpose_a=True), a=(1, 2), b=(1, 2))
    step = TermStep(plan, accumulating_computation(plan), adds)
    total = nd.array([[10, 20], [30, 40]])
    assert run(step, nd.array([[1, 2]]), nd.array([[3, 4]]), total) == want


def test_previous_contents_of_a_term_are_not_read():
    plan = plan_of(lambda a, b: sym.dot(a, b, transpose_a=True), a=(1, 2), b=(1, 2))
    step = TermStep(plan, accumulating_computation(plan), False)
    x = nd.ones((1, 2))
    assert run(step, x, x, nd.full((2, 2), float("nan"))) == [[1, 1], [1, 1]]


def test_term_is_a_native_computation():
    product = plan_of(lambda a, b: sym.dot(a, b, transpose_a=True), a=(1, 2), b=(1, 2))
    with pytest.raises(TypeError, match="TermStep: the operator has no native computation"):
        TermStep(
            plan_of(lambda a, b: a + b, a=(2,), b=(2,)), accumulating_computation(product), True
        )
