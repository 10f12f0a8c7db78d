"""`Op`: registered by programs, declared by plugins, attributes under any key."""

import pytest

import opforge as mx
from opforge.base.errors import OpforgeError
from opforge.op import nnvm
from opforge.op.registry.registry import OPERATORS, register_operator, transaction


def test_the_same_name_is_the_same_registration():
    assert nnvm.register_op("test_same") is nnvm.register_op("test_same")
    assert repr(nnvm.register_op("test_same")) == "<Op test_same>"


def test_free_attributes_are_read_later():
    nnvm.register_op("test_free").set_attr("TestColour", "red")
    nnvm.register_op("test_free_too").set_attr("TestColour", "blue")
    assert nnvm.get_attr("TestColour") == {"test_free": "red", "test_free_too": "blue"}
    op = nnvm.register_op("test_free")
    assert op.get_attr("TestColour") == op.declaration.named_attribute("TestColour") == "red"
    assert op.get_attr("TestShade", 7) == 7


def test_operators_that_are_there_can_be_given_attributes():
    nnvm.register_op("expm1").set_attr("TestFlavour", 3)
    assert mx.nd.expm1 is not None
    assert nnvm.get_attr("TestFlavour") == {"expm1": 3}
    assert nnvm.get_attr("FInplaceOption")["expm1"] == [(0, 0)]  # earlier attributes are kept


@pytest.mark.parametrize(
    "change",
    [
        lambda op: op.set_num_inputs(2),
        lambda op: op.set_attr("FInferShape", nnvm.elemwise_shape(1, 1)),
        lambda op: op.describe("mine"),
        lambda op: op.add_argument("k", "float"),
        lambda op: op.add_arguments({}),
        lambda op: op.add_alias("mine"),
        lambda op: op.set_attr_parser(float),
    ],
)
def test_but_they_are_not_changed(change):
    with pytest.raises(OpforgeError, match=r"'exp' exists already .* choose another name"):
        change(nnvm.register_op("exp"))


def test_a_registration_in_use_is_not_changed():
    op = nnvm.register_op("test_in_use")
    op.declaration()
    with pytest.raises(OpforgeError, match="'test_in_use' has already been called"):
        op.set_num_inputs(2)
    op.set_attr("TestLate", 1)  # passes may read attributes set later


def test_values_under_one_key_are_of_one_kind():
    nnvm.register_op("test_kind_a").set_attr("TestSize", 1)
    with pytest.raises(OpforgeError, match=r"'test_kind_b'.* kind str, but .*'test_kind_a'"):
        nnvm.register_op("test_kind_b").set_attr("TestSize", "1")


def test_the_higher_level_stays():
    op = nnvm.register_op("test_level").set_attr("TestLevel", "ten")
    with pytest.raises(OpforgeError, match="already set with plevel=10; pass a higher"):
        op.set_attr("TestLevel", "again")
    op.set_attr("TestLevel", "lower", plevel=5)
    assert op.get_attr("TestLevel") == "ten"
    op.set_attr("TestLevel", "higher", plevel=15).set_attr("TestLevel", "between", plevel=12)
    assert op.get_attr("TestLevel") == "higher"


def test_the_level_of_a_class_body_counts():
    op = nnvm.register_op("log1p")
    with pytest.raises(OpforgeError, match="exists already"):
        op.set_attr("FInplaceOption", [])


def test_aliases_answer_too():
    (
        nnvm.register_op("test_alias")
        .add_alias("test_other_name")
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", nnvm.unary_compute(abs))
    )
    assert mx.nd.test_other_name(mx.nd.array([-1.0])).asscalar() == 1


def test_a_parameter_structure_declares_the_attributes():
    class Param(nnvm.Parameter):
        factor = mx.plugin_api.Attribute(float, default=2.0, doc="By what.")

    (
        nnvm.register_op("test_param")
        .set_attr_parser(nnvm.param_parser(Param))
        .add_arguments(Param.fields)
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr(
            "FCompute<cpu>",
            lambda attrs, ctx, x, req, y: nnvm.assign(y[0], req[0], x[0] * attrs.parsed.factor),
        )
    )
    assert mx.nd.test_param(mx.nd.ones((1,))).asscalar() == 2
    assert mx.nd.test_param(mx.nd.ones((1,)), factor="3").asscalar() == 3
    found = mx.operator.get_operator_arguments("test_param")
    assert found.types == ["NDArray-or-Symbol", "float, optional, default=2.0"]


def test_contradictions_are_rejected():
    with pytest.raises(TypeError, match="'data' is both an input and an attribute"):
        nnvm.register_op("test_clash").add_argument("data", "NDArray").add_argument("data", "float")


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_a_string(name):
    with pytest.raises(OpforgeError, match="name of an operator must be"):
        nnvm.declare_op(name)


def test_a_plugin_declares_and_hands_over():
    op = (
        nnvm.declare_op("test_of_plugin")
        .describe("Of a plugin.")
        .set_attr("FInferShape", nnvm.elemwise_shape(1, 1))
        .set_attr("FCompute<cpu>", nnvm.unary_compute(abs))
    )
    assert not hasattr(mx.nd, "test_of_plugin")
    with pytest.raises(RuntimeError, match="undone"), transaction():
        register_operator(op.declaration, "opforge-test", "1.0", kind="plugin")
        assert OPERATORS.lookup("test_of_plugin").provider == "opforge-test"
        assert nnvm.register_op("test_of_plugin") is op
        raise RuntimeError("undone")
