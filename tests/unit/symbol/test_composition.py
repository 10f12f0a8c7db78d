import pytest

from opforge import AttrScope, name, nd, sym
from opforge.base.errors import AttributeValueError, OpforgeError, ShapeError
from opforge.op.calling.binding import general_handle
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.entry import Entry
from opforge.op.registry.registry import lookup
from opforge.symbol.composition import call_operator, expanding, make_operation
from opforge.symbol.variable import typed_variable


@pytest.fixture(autouse=True)
def fresh_names():
    with name.NameManager():
        yield


def test_automatic_names():
    x = sym.var("x")
    made = [sym.exp(x), sym.exp(x), x + 1, 1 - x, x * x, x == x, 2**x, sym.Concat(x, x)]
    assert [y.name for y in made] == [
        "exp0",
        "exp1",
        "_plusscalar0",
        "_rminusscalar0",
        "_mul0",
        "_equal0",
        "_rpower_scalar0",
        "concat0",
    ]
    with name.Prefix("net_"):
        assert sym.exp(x).name == "net_exp0"
        assert sym.exp(x, name="mine").list_outputs() == ["net_mine_output"]


@pytest.mark.plugins
def test_automatic_names_leave_out_the_namespace():
    x = sym.var("x")
    assert sym.contrib.div_sqrt_dim(x).name == "div_sqrt_dim0"
    assert sym.random.uniform(shape=(2,)).name == "_random_uniform0"


@pytest.mark.plugins
def test_missing_inputs_become_variables():
    net = sym.SoftmaxOutput(sym.FullyConnected(num_hidden=3), name="softmax")
    assert net.list_arguments() == [
        "fullyconnected0_data",
        "fullyconnected0_weight",
        "fullyconnected0_bias",
        "softmax_label",
    ]
    bias = sym.var("mine")
    layer = sym.FullyConnected(sym.var("x"), bias=bias, num_hidden=3, name="f")
    assert layer.list_arguments() == ["x", "f_weight", "mine"]
    assert sym.FullyConnected(sym.var("x"), num_hidden=3, no_bias=True).list_arguments() == [
        "x",
        "fullyconnected1_weight",
    ]


def test_variables_that_are_made_have_the_attributes_of_the_call():
    with AttrScope(ctx_group="a"):
        net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="f", attr={"__own__": "1"})
    assert net.attr_dict() == {
        "x": {"__ctx_group__": "a", "ctx_group": "a"},
        **{
            key: {"num_hidden": "3", "__ctx_group__": "a", "ctx_group": "a", "__own__": "1"}
            for key in ("f_weight", "f_bias", "f")
        },
    }


@pytest.mark.plugins
def test_operators_declare_how_their_states_begin():
    attributes = sym.BatchNorm(sym.var("x"), name="b").attr_dict()
    assert attributes["b_moving_mean"] == {"__init__": '["zero", {}]'}
    assert attributes["b_moving_var"] == {"__init__": '["one", {}]'}
    assert "b_gamma" not in attributes


def test_attributes_that_look_like_operator_parameters_are_rejected():
    with (
        AttrScope(weird="1"),
        pytest.raises(AttributeValueError, match=r"Cannot find argument 'weird'(.|\n)*__weird__"),
    ):
        sym.exp(sym.var("x"))
    with pytest.raises(AttributeValueError, match="Cannot find argument 'weight_lr_mult'"):
        sym.FullyConnected(sym.var("x"), num_hidden=1, attr={"weight_lr_mult": "2"})


def test_inputs_must_be_symbols_of_one_output():
    x = sym.var("x")
    with pytest.raises(TypeError, match=r"must be a Symbol, got int; create one with sym\.var"):
        sym.exp(1)
    with pytest.raises(OpforgeError, match=r"symbol of 2 outputs \(x, x\), expected one"):
        sym.exp(sym.Group([x, x]))
    with pytest.raises(TypeError, match="must be a Symbol, got float"):
        sym.concat(x, 2.0)
    with pytest.raises(TypeError, match="name is 3, expected a string"):
        sym.exp(x, name=3)


def test_a_group_counts_as_its_members_where_inputs_vary():
    x, y = sym.var("x"), sym.var("y")
    assert sym.concat(sym.Group([x, y]), x, num_args=3).list_arguments() == ["x", "y"]


def test_operations_and_calls_from_handles():
    entry = lookup("FullyConnected")
    handle = general_handle(entry)
    from opforge.op.declaring.attribute import UNSET

    operation = make_operation(handle, (4, UNSET, "False"))
    assert operation.name == "FullyConnected"
    assert operation.attributes == {"num_hidden": "4", "flatten": "False"}
    made = call_operator(handle, [sym.var("x"), None, None], (4, True, UNSET), "f")
    assert made.list_arguments() == ["x", "f_weight"]


def test_none_in_the_middle_omits_an_input():
    class PerhapsMiddle(OperatorProp):
        """Leaves out the input in the middle on request."""

        name = "perhaps_middle"
        arguments = ("left", "middle", "right")
        use_middle = Attribute(bool, default=False)

        def list_arguments(self):
            return [*self.arguments] if self.use_middle else ["left", "right"]

    handle = general_handle(Entry("perhaps_middle", PerhapsMiddle, "some-plugin", "1.0", "plugin"))
    a, b = sym.var("a"), sym.var("b")
    for inputs in ([a, None, b], [a, b, None]):
        assert call_operator(handle, inputs, (False,), "f").list_arguments() == ["a", "b"]
    missing = call_operator(handle, [a, None, b], (True,), "f")
    assert missing.list_arguments() == ["a", "f_middle", "b"]


def test_shapes_are_inferred_where_they_are_known():
    x = typed_variable("x", (2, 3), 0)
    weight = typed_variable("w", (0, 0), 0)
    assert sym.FullyConnected(x, weight, num_hidden=4, no_bias=True).shape == (2, 4)
    assert weight.shape == (4, 3)
    with pytest.raises(ShapeError, match="dot shape error"):
        sym.dot(x, x)
    with pytest.raises(AttributeError, match="has no shape"):
        _ = sym.exp(sym.var("y")).shape


def test_composed_operators_are_expanded():
    x = typed_variable("x", (2, 3), 0)
    with expanding():
        plain = sym.exp(x)
    assert plain.edges[0][0].name == ""
    assert plain.shape == (2, 3)


X = sym.var("x")


@pytest.mark.parametrize(
    "call",
    [
        lambda **attrs: sym.FullyConnected(X, num_hidden=2, name="n", **attrs),
        lambda **attrs: sym.concat(X, X, dim=0, name="n", **attrs),
        lambda **attrs: X.sum(axis=0, name="n", **attrs),
        lambda **attrs: X.transpose(axes=(1, 0), name="n", **attrs),
        lambda **attrs: sym.zeros((2,), name="n", **attrs),
        pytest.param(
            lambda **attrs: sym.Custom(X, op_type="softmax", name="n", **attrs),
            marks=pytest.mark.plugins,
        ),
        lambda **attrs: sym.random.normal(shape=(2,), name="n", **attrs),
    ],
)
def test_keywords_that_any_node_may_carry_are_attached(call):
    symbol = call(lr_mult=0, wd_mult=2.5, ctx_group="dev", __layout__="NHWC", __y__=(1, 2))
    expected = {
        "__lr_mult__": "0",
        "lr_mult": "0",
        "__wd_mult__": "2.5",
        "wd_mult": "2.5",
        "__ctx_group__": "dev",
        "ctx_group": "dev",
        "__layout__": "NHWC",
        "__y__": "(1, 2)",
    }
    attached = symbol.attr_dict()["n"]
    assert {key: attached.get(key) for key in expected} == expected
    again = sym.load_json(symbol.tojson()).attr_dict()["n"]
    assert {key: again.get(key) for key in expected} == expected


def test_attached_keywords_reach_the_variables_that_a_call_makes():
    made = sym.FullyConnected(X, num_hidden=2, name="fc", lr_mult=0).attr_dict()
    assert made["fc_weight"]["__lr_mult__"] == made["fc_bias"]["__lr_mult__"] == "0"
    assert "x" not in made


def test_attr_wins_over_a_keyword():
    symbol = sym.exp(X, attr={"lr_mult": "3", "__x__": "4"}, lr_mult=5, __x__=6)
    assert (symbol.attr("lr_mult"), symbol.attr("__x__")) == ("3", "4")


@pytest.mark.parametrize("key", ["foo", "__foo", "weight_lr_mult", "_"])
def test_other_keywords_are_rejected(key):
    with pytest.raises(AttributeValueError, match=f"Cannot find argument '{key}'"):
        sym.sum(X, __layout__="NC", **{key: 1})
    with pytest.warns(UserWarning, match=f"unknown arguments '{key}' are ignored"):
        assert "__layout__" in sym.exp(X, __layout__="NC", name="y", **{key: 1}).attr_dict()["y"]


def test_arrays_ignore_graph_attributes():
    x = nd.ones((2, 3))
    assert nd.sum(x, axis=0, __layout__="NC").shape == (3,)
    with pytest.raises(AttributeValueError, match="Cannot find argument 'lr_mult'"):
        nd.sum(x, axis=0, lr_mult=2)
