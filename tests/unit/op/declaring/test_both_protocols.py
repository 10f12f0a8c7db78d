"""Questions that declarations of both protocols answer."""

from opforge.op.declaring.both_protocols import declared_name, visible_outputs
from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.declaration import OperatorProp


class Typed(OperatorProp):
    """Two outputs."""

    name = "fx_typed"
    outputs = ("output", "mask")


class Hiding(Typed):
    """The same, one of them hidden."""

    num_visible_outputs = 1


class Custom(CustomOpProp):
    """MXNet's protocol, with a private member of the same name."""

    name = "not an operator's"


def test_declared_name():
    assert declared_name(Typed()) == "fx_typed"
    assert declared_name(Custom()) == ""


def test_visible_outputs():
    assert visible_outputs(Typed(), 2) == 2
    assert visible_outputs(Hiding(), 2) == 1
    assert visible_outputs(Custom(), 3) == 3
