"""The public module has MXNet's names."""

from opforge import operator
from opforge.op.declaring import custom
from opforge.op.registry import registration


def test_names():
    assert operator.CustomOp is custom.CustomOp
    assert operator.CustomOpProp is custom.CustomOpProp
    assert operator.register is registration.register
    assert set(operator.__all__) <= set(vars(operator))
