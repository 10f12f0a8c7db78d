import pytest

from opforge.op.declaring.layouts import Blocked, BlockedForm, Input, elementwise
from opforge.plugin_api import OperatorProp
from opforge.plugin_api import layouts as of_plugins

FOUR = Blocked(1, 4)


class Sum(OperatorProp):
    """Add."""

    name = "layouts_sum"
    arguments = ("a", "b")


def form(*inputs):
    given = [Input(shape, "float32", layout) for shape, layout in inputs]
    return elementwise(Sum(), given, False)


@pytest.mark.parametrize(
    ("layout", "shape", "blocked"),
    [
        (FOUR, (2, 8, 3), (2, 2, 3, 4)),
        (Blocked(0, 3), (6,), (2, 3)),
        (Blocked(2, 1), (2, 8, 3), (2, 8, 3, 1)),
        (FOUR, (2, 0, 3), (2, 0, 3, 4)),
    ],
)
def test_lanes_are_the_last_axis(layout, shape, blocked):
    assert layout.fits(shape)
    assert layout.shape(shape) == blocked


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (FOUR, (2, 6, 3)),
        (FOUR, (2,)),
        (Blocked(-1, 2), (2,)),
        (Blocked(0, 0), (2,)),
        (Blocked(0, -2), (2,)),
    ],
)
def test_nothing_is_padded(layout, shape):
    assert not layout.fits(shape)


def test_plugins_see_the_module():
    assert of_plugins.BlockedForm is BlockedForm


def test_inputs_of_one_layout_are_added_in_it():
    whole = ((2, 8, 3, 5), FOUR)
    assert form(whole, whole) == BlockedForm([FOUR, FOUR], (FOUR,))


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((1, 8, 1, 1), FOUR),
        ((8, 1, 1), Blocked(0, 4)),
        ((1, 1, 3, 5), Blocked(0, 1)),
        ((3, 5), Blocked(0, 1)),
        ((1, 1, 1, 1), None),
        ((1,), None),
        ((), None),
    ],
)
def test_broadcast_operands_get_equal_or_single_lanes(shape, layout):
    assert form((shape, None), ((2, 8, 3, 5), FOUR)).inputs == [layout, FOUR]


@pytest.mark.parametrize(
    "inputs",
    [
        [((2, 8), None), ((2, 8), None)],
        [((2, 8), FOUR), ((2, 8), None)],  # as large and plain: converting costs what it saves
        [((2, 8), FOUR), ((2, 8), Blocked(1, 2))],
        [((2, 8), FOUR), ((3, 2, 8), None)],  # its axis 1 is the result's axis 2
    ],
)
def test_others_stay_plain(inputs):
    assert form(*inputs) is None
