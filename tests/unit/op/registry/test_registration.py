"""Tests of register and of the two functions that query the registry."""

import pytest

from opforge import operator
from opforge.op.declaring.attribute import Attribute

pytestmark = [pytest.mark.plugins, pytest.mark.usefixtures("clean_registry")]


def test_register_returns_the_class():
    class Prop(operator.CustomOpProp):
        pass

    assert operator.register("mine")(Prop) is Prop
    assert "mine" in operator.get_all_registered_operators()


def test_register_names_a_typed_declaration():
    @operator.register("scaled")
    class Scaled(operator.OperatorProp):
        factor = Attribute(float, default=2.0)

    assert Scaled.name == "scaled"
    assert operator.get_operator_arguments("scaled") == (
        2,
        ["data", "factor"],
        ["NDArray-or-Symbol", "float, optional, default=2.0"],
    )


@pytest.mark.parametrize("contribution", [operator.CustomOp, 3, lambda: None])
def test_register_wants_a_prop(contribution):
    with pytest.raises(TypeError, match="expected a class derived from CustomOpProp"):
        operator.register("wrong")(contribution)


def test_arguments_of_a_custom_prop():
    @operator.register("free")
    class Free(operator.CustomOpProp):
        def __init__(self, k="3", **kwargs):
            super().__init__()

    @operator.register("needy")
    class Needy(operator.CustomOpProp):
        def __init__(self, k):
            super().__init__()

    assert operator.get_operator_arguments("free").names == ["data", "k"]
    assert operator.get_operator_arguments("needy").types == ["string, required"]
