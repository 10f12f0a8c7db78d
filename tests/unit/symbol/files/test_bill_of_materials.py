import ctypes
import json

import pytest

from opforge import sym
from opforge.base.errors import SymbolFileError
from opforge.op.abi import NativeOperator, functions
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import OPERATORS, register_custom, register_operator
from opforge.symbol.files.bill_of_materials import BILL, Material, read_bill, record_hash


class Twice(OperatorProp):
    """Double the data."""

    name = "fx_twice"
    version = 3

    def compose(self, F, data):
        return data * 2


@pytest.fixture
def acme(monkeypatch):
    monkeypatch.setattr(OPERATORS, "_table", dict(OPERATORS._table))
    register_operator(Twice, "acme-twice", "1.2.0", "plugin")


def bill(symbol):
    return read_bill(json.loads(symbol.tojson())["attrs"])


def test_a_graph_of_primitive_operators_has_no_bill():
    text = (sym.exp(sym.var("x")) + 1).tojson()
    assert BILL not in text
    assert text.endswith('"attrs": {"mxnet_version": ["int", 10901]}\n}')


@pytest.mark.plugins
def test_each_plugin_operator_is_listed_once():
    x = sym.var("x")
    (softmax,) = bill(sym.softmax(sym.softmax(sym.exp(x))))
    assert (softmax.name, softmax.provider, softmax.version) == (
        "softmax",
        "opforge-softmax",
        "0.1.0",
    )
    assert softmax.record == record_hash("opforge-softmax")
    assert softmax.record.startswith("sha256:")


@pytest.mark.plugins
def test_aliases_and_custom_nodes_are_listed_under_registry_names():
    x = sym.var("x")
    net = sym.Custom(sym._internal.Softmax(x), op_type="softmax")
    saved = {row["op"] for row in json.loads(net.tojson())["nodes"]} - {"null", "Custom"}
    assert {material.name for material in bill(net)} == {"softmax", *saved}


def test_the_version_of_the_operator_is_kept(acme):
    assert bill(sym.fx_twice(sym.var("x"))) == [Material("fx_twice", "acme-twice", "1.2.0", 3)]


def test_a_native_operator_says_which_interface_it_was_built_for(acme):
    @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    def nothing(call):
        return 0

    class Nothing(NativeOperator):
        """Return the input unchanged."""

        name = "fx_nothing"
        library = functions(forward=nothing)
        differentiable = False

    register_operator(Nothing, "acme-native", "1.0", "plugin")
    net = sym.fx_nothing(sym.var("x"))
    (native,) = bill(net)
    assert native.abi == Nothing.abi_version
    assert native.abi.startswith("2.")
    assert sym.load_json(net.tojson()).tojson() == net.tojson()


def test_operators_of_the_program_are_listed_with_their_class(monkeypatch):
    monkeypatch.setattr("opforge.op.registry.registry._custom", {})
    register_custom("fx_own", Twice)
    (own,) = bill(sym.Custom(sym.var("x"), op_type="fx_own"))
    assert (own.name, own.provider) == ("fx_own", "")
    assert own.defined_by.endswith(".Twice")


def test_a_name_of_two_providers_is_settled_at_each_node(acme, monkeypatch):
    class Rival(Twice):
        """Another fx_twice."""

        version = 1

        def compose(self, F, data):
            return data * 2.5

    register_operator(Rival, "acme-rival", "2.0", "plugin")
    x = sym.var("x")
    one = getattr(sym, "acme-twice::fx_twice")(x, name="one")
    both = sym.Group([one, getattr(sym, "acme-rival::fx_twice")(x, name="two")])
    loaded = sym.load_json(both.tojson())
    values = loaded.eval(x=sym.ones((1,)).eval()[0])
    assert [float(value.asnumpy()[0]) for value in values] == [2.0, 2.5]
    assert loaded.tojson() == both.tojson()
    # with one of the two, no node states it: the bill does
    alone = one.tojson()
    assert "__operator_provider__" not in alone
    assert sym.load_json(alone).edges[0][0].operation.entry.provider == "acme-twice"


def test_record_hash_of_missing_distributions_is_empty():
    assert record_hash("no-such-distribution") == ""


@pytest.mark.parametrize(
    "value",
    [
        7,
        ["list_str", "softmax"],
        ["list_str", ["softmax"]],
        ["list_str", ["[" * 100_000]],
        ["list_str", [["a"]]],
        ["list_str", ['{"provider": "acme"}']],
        ["list_str", ['{"name": "a", "provider": "acme; rm -rf ~"}']],
        ["list_str", ['{"name": "a", "provider": "acme", "version": "1 --index-url=x"}']],
        ["list_str", ['{"name": "a", "provider": "-r"}']],
        ["list_str", ['{"name": "a", "record": "sha256:zz"}']],
        ["list_str", ['{"name": "a", "operator_version": true}']],
        ["list_str", ['{"name": "a", "version": 1}']],
    ],
)
def test_a_damaged_bill_is_rejected(value):
    with pytest.raises(SymbolFileError, match=BILL):
        read_bill({BILL: value})


def test_fields_of_later_versions_are_ignored():
    assert read_bill({BILL: ["list_str", ['{"name": "a", "more": [1, 2]}']]}) == [Material("a")]
    assert read_bill(None) == read_bill({}) == []
