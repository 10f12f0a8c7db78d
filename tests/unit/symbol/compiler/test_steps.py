"""The step that runs for a node."""

import pytest

from opforge import sym
from opforge.symbol.compiler.call import Elementwise, Reduction
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.compiler.steps import call_of


def step_of(symbol, **shapes):
    """The call of the last node of a graph."""
    graph = lower(symbol, shapes, {})
    node = graph.outputs[0][0]
    return call_of(node, list(range(len(node.inputs))), [9], lambda found: 10)


def test_a_call_knows_its_node_and_slots():
    call = step_of(sym.elemwise_add(sym.var("a"), sym.var("b"), name="both"), a=(2, 3), b=(2, 3))
    assert (call.label, call.inputs, call.outputs) == ("both", [0, 1], [9])
    assert (0, 0) in call.in_place


def test_elementwise_operators_name_their_kernel():
    assert step_of(sym.exp(sym.var("a")), a=(2,)).elementwise == Elementwise("unary", "exp")
    call = step_of(3 - sym.var("a"), a=(2,))
    assert call.elementwise == Elementwise("scalar", "subtract", 3, reverse=True)


def test_reductions_name_their_axes():
    call = step_of(sym.sum(sym.var("a"), axis=-1), a=(2, 3, 4))
    assert call.reduction == Reduction("sum", (2,))
    assert call.elementwise is None


@pytest.mark.parametrize(
    ("symbol", "identity"),
    [(sym.reshape(sym.var("a"), shape=(-1,)), True), (sym.var("a") + 1, False)],
)
def test_in_place_identities_are_detected(symbol, identity):
    assert step_of(symbol, a=(2, 3)).identity is identity
