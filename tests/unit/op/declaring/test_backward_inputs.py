"""The arrays that backward reads follow from the fields of a declaration."""

import pytest

from opforge.op.declaring.backward_inputs import BackwardInputs
from opforge.op.declaring.declaration import OperatorProp


class Norm(OperatorProp):
    """Normalize."""

    name = "norm_of_backward_inputs"
    outputs = ("output", "mean")
    arguments = ("data", "gamma")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, [0, 1, 2, 3, 4, 5]),
        ({"saves": ("data", "mean")}, [0, 1, 2, 5]),
        ({"saves": ("outputs",), "need_top_grad": False}, [4, 5]),
        ({"saves": ()}, [0, 1]),
    ],
)
def test_saves_become_the_backward_dependency(fields, expected):
    prop = type("Case", (Norm,), fields)()
    assert prop.declare_backward_dependency([0, 1], [2, 3], [4, 5]) == expected
    assert isinstance(prop, BackwardInputs) and prop.differentiable
