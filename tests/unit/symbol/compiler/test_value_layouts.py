import pytest

from opforge.op.declaring.layouts import Blocked, Prepared
from opforge.symbol.compiler.value_layouts import ValueLayouts
from opforge.symbol.composition import expanding
from opforge.symbol.node import Node, Type

FOUR, TWO = Blocked(1, 4), Blocked(0, 2)


def value(shape, *layout):
    edge = (Node("x", types=[Type(shape, 0)]), 0)
    plain = shape
    for step in reversed(layout):
        plain = (*plain[: step.axis], plain[step.axis] * step.lanes, *plain[step.axis + 1 : -1])
    return ValueLayouts(edge, layout, plain)


def operators(edge):
    """Return the operators called on the variable, the last first."""
    names = []
    node, _ = edge
    while node.operation is not None:
        names.append(node.operation.name)
        node, _ = node.inputs[0]
    return names


@pytest.mark.parametrize(
    ("have", "layout", "want", "called", "shape"),
    [
        ((2, 8, 3), (), (FOUR,), ["_block"], (2, 2, 3, 4)),
        ((2, 2, 3, 4), (FOUR,), (), ["_unblock"], (2, 8, 3)),
        ((2, 8, 3), (), (FOUR, TWO), ["_block", "_block"], (1, 2, 3, 4, 2)),
        ((2, 2, 3, 4), (FOUR,), (Blocked(1, 2),), ["_block", "_unblock"], (2, 4, 3, 2)),
        ((2, 8, 1), (), (FOUR,), ["Reshape"], (2, 2, 1, 4)),  # the same order
        ((2, 2, 1, 4), (FOUR,), (), ["Reshape"], (2, 8, 1)),
        ((2, 8, 3), (), (Blocked(0, 1),), ["Reshape"], (2, 8, 3, 1)),
        ((2, 8, 3), (), (), [], (2, 8, 3)),
        ((2, 8, 3), (), (Prepared("flatten", (2, 24)),), ["Flatten"], (2, 24)),
        ((2, 2, 3, 4), (FOUR,), (Prepared("exp", (2, 8, 3)),), ["exp", "_unblock"], (2, 8, 3)),
    ],
)
def test_conversions(have, layout, want, called, shape):
    found = value(have, *layout)
    with expanding():
        edge = found.in_layout(want)
    assert operators(edge) == called
    assert edge[0].types[edge[1]].shape == shape


def test_a_value_is_converted_once():
    found = value((2, 8, 3))
    assert not found.has((FOUR,))
    with expanding():
        edge = found.in_layout((FOUR,))
        assert found.in_layout((FOUR,)) is edge
    assert found.has((FOUR,)) and found.has(())
