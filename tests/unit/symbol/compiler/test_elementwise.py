"""Nodes with a single kernel are found by their declarations, not their names."""

import pytest

from opforge import sym
from opforge.symbol.compiler.call import Call, Elementwise
from opforge.symbol.compiler.elementwise import elementwise_of, masks_of
from opforge.symbol.compiler.lowering import lower

KERNELS = [
    (lambda x: sym.exp(x), Elementwise("unary", "exp")),
    (lambda x: x * 3, Elementwise("scalar", "multiply", 3.0)),
    (lambda x: 3 - x, Elementwise("scalar", "subtract", 3.0, True)),
    (lambda x: sym.broadcast_add(x, x), Elementwise("binary", "add")),
    (lambda x: sym.sum(x), None),
    (lambda x: x, None),
]


@pytest.mark.parametrize(("make", "kernel"), KERNELS)
def test_kernels(make, kernel):
    (edge,) = lower(make(sym.var("x")), {"x": (2, 3)}, {}).outputs
    assert elementwise_of(edge[0]) == kernel


@pytest.mark.plugins
def test_an_operator_that_computes_by_a_kernel_is_that_kernel():
    (edge,) = lower(sym.Activation(sym.var("x"), act_type="tanh"), {"x": (2, 3)}, {}).outputs
    assert elementwise_of(edge[0]) == Elementwise("unary", "tanh")


def test_other_shapes_of_masks_are_masks():
    def call(source, target, **what):
        return Call(lambda made: None, "", [source], [target], **what)

    compares, negates = Elementwise("scalar", "greater", 2.0), Elementwise("unary", "negative")
    calls = [
        call(0, 1, elementwise=compares),
        call(1, 2, identity=True),
        call(2, 3, elementwise=negates),
        call(3, 4, identity=True),
    ]
    assert masks_of(calls) == {1, 2}
