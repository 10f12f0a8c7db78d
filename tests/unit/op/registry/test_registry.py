"""Tests of the registry: names, transactions and errors for missing ones."""

import pytest

from opforge.base.errors import AmbiguousOperatorError, OperatorNotFoundError, PluginError
from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.op.registry import table as table_module
from opforge.op.registry.preference import preferring


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """Empty the registry for one test."""
    for table in (registry.OPERATORS, registry.LAYERS):
        monkeypatch.setattr(table, "_table", {})
        monkeypatch.setattr(table, "_settled", {})
    monkeypatch.setattr(registry, "_custom", {})
    monkeypatch.setattr(table_module, "_resolver", None)
    monkeypatch.delenv("OPFORGE_PIN", raising=False)


def declare(name, **body):
    return type("Declared", (OperatorProp,), {"name": name, **body})


def test_register_and_look_up():
    prop_class = declare("gelu", aliases=("Gelu",))
    registry.register_operator(prop_class)
    entry = registry.lookup("gelu")
    assert entry.prop_class is prop_class
    assert (entry.kind, entry.full_name) == ("std", "opforge::gelu")
    assert registry.lookup("Gelu").name == "Gelu"
    assert registry.names() == ["Gelu", "gelu"]


def test_custom_goes_first_for_custom_only():
    declared, own = declare("softmax"), type("Own", (CustomOpProp,), {})
    registry.register_operator(declared)
    registry.register_custom("softmax", own)
    assert registry.lookup_custom("softmax").prop_class is own
    assert registry.lookup("softmax").prop_class is declared


def test_custom_replaces():
    first, second = type("A", (CustomOpProp,), {}), type("B", (CustomOpProp,), {})
    registry.register_custom("x", first)
    registry.register_custom("x", second)
    assert registry.lookup_custom("x").prop_class is second
    assert registry.custom_names() == ["x"]


def test_typed_custom_answers_to_its_name():
    own = declare("own")
    registry.register_custom("own", own)
    assert registry.lookup("own").prop_class is own
    registry.register_custom("untyped", type("A", (CustomOpProp,), {}))
    with pytest.raises(OperatorNotFoundError):
        registry.lookup("untyped")


def test_two_providers():
    registry.register_operator(declare("x"), "acme-a", "1", "plugin")
    registry.register_operator(declare("x"), "acme-b", "1", "plugin")
    with pytest.raises(AmbiguousOperatorError, match="acme-a, acme-b"):
        registry.lookup("x")


def test_versions_of_one_provider():
    second, first = declare("x", version=2), declare("x", version=1)
    for prop_class in (second, first):
        registry.register_operator(prop_class, "acme", "1", "plugin")
    assert registry.lookup("x").prop_class is second
    assert registry.lookup("acme::x").prop_class is second
    assert registry.lookup("x@1").prop_class is first
    assert registry.lookup("acme::x@2").prop_class is second
    assert [e.operator_version for e in registry.OPERATORS.versions("x")] == [1, 2]
    with pytest.raises(OperatorNotFoundError, match=r"has no version 3; it has 1, 2\. pip install"):
        registry.lookup("x@3")
    with pytest.raises(PluginError, match="registered twice"):
        registry.register_operator(declare("x", version=2), "acme", "1", "plugin")
    assert registry.lookup("x").prop_class is second


def test_a_failed_version_leaves_the_others():
    registry.register_operator(declare("x"), "acme", "1", "plugin")
    with pytest.raises(RuntimeError), registry.transaction():
        registry.register_operator(declare("x", version=2), "acme", "1", "plugin")
        raise RuntimeError
    assert registry.lookup("x").operator_version == 1


def test_a_preference_holds_in_its_block():
    for name in ("acme-a", "acme-b"):
        registry.register_operator(declare("x"), name, "1", "plugin")
    with preferring("acme-a"):
        assert registry.lookup("x").provider == "acme-a"
        with preferring("Acme_B"):
            assert registry.lookup("x").provider == "acme-b"
            assert registry.lookup("acme-a::x").provider == "acme-a"
        assert registry.lookup("x").provider == "acme-a"
    with pytest.raises(AmbiguousOperatorError):
        registry.lookup("x")


def test_explanations_load_nothing():
    registry.register_custom("own", declare("own"))
    assert registry.explain("own").reason == "program"
    assert registry.explain("nope").reason == "not installed"
    registry.register_operator(declare("own"))
    assert registry.explain("own").reason == "primitive set"


def test_pins_are_read_and_checked(monkeypatch):
    for name in ("acme-a", "acme-b"):
        registry.register_operator(declare("x"), name, "1", "plugin")
    monkeypatch.setenv("OPFORGE_PIN", "y=z, x = Acme_B")
    assert registry.lookup("x").provider == "acme-b"
    registry.OPERATORS.forget_decisions()
    monkeypatch.setenv("OPFORGE_PIN", "x")
    with pytest.raises(PluginError, match="expected name=distribution"):
        registry.lookup("x")


def test_missing_names_their_distribution():
    with pytest.raises(OperatorNotFoundError, match="pip install opforge-softmax") as caught:
        registry.lookup("softmax")
    assert isinstance(caught.value, AttributeError)
    with pytest.raises(OperatorNotFoundError, match="pip install opforge-dense"):
        registry.lookup_layer("Dense")


def test_missing_names_close_ones():
    registry.register_operator(declare("transpose"))
    with pytest.raises(OperatorNotFoundError, match="similar names: transpose"):
        registry.lookup("Transpos")
    with pytest.raises(OperatorNotFoundError, match=r"softmax \(pip install opforge-softmax\)"):
        registry.lookup("softmx")


def test_missing_custom_has_mxnets_wording():
    with pytest.raises(
        OperatorNotFoundError, match=r"^Cannot find custom operator nope\n"
    ) as error:
        registry.lookup_custom("nope")
    assert "@opforge.operator.register('nope')" in str(error.value)


def test_bad_registrations():
    with pytest.raises(PluginError, match="not an operator declaration"):
        registry.register_operator(dict)
    with pytest.raises(PluginError, match="has no name"):
        registry.register_operator(declare(""))
    with pytest.raises(PluginError, match="not a layer class"):
        registry.register_layer(3)
    registry.register_operator(declare("x"))
    with pytest.raises(PluginError, match="registered twice"):
        registry.register_operator(declare("x"))


def test_alias_conflict_registers_nothing():
    registry.register_operator(declare("x"))
    with pytest.raises(PluginError):
        registry.register_operator(declare("y", aliases=("x",)))
    assert registry.names() == ["x"]


def test_transaction_undoes_everything():
    registry.register_custom("kept", declare("kept"))
    before = registry.lookup_custom("kept")
    with pytest.raises(RuntimeError), registry.transaction():
        registry.register_operator(declare("a"))
        registry.register_layer(type("Layer", (), {}))
        registry.register_custom("kept", declare("kept"))
        registry.register_custom("new", declare("new"))
        raise RuntimeError
    assert registry.names() == []
    assert registry.LAYERS.entries() == []
    assert registry.custom_names() == ["kept"]
    assert registry.lookup_custom("kept") is before


def test_inner_transaction_belongs_to_the_outer_unless_independent():
    with pytest.raises(RuntimeError), registry.transaction():
        with registry.transaction():
            registry.register_operator(declare("dependent"))
        with registry.transaction(independent=True):
            registry.register_operator(declare("independent"))
        raise RuntimeError
    assert registry.names() == ["independent"]


def test_temporary_registrations_end_with_their_block():
    registry.register_operator(declare("stays"))
    with registry.temporary():
        registry.register_operator(declare("goes"))
        registry.register_custom("goes", type("Own", (CustomOpProp,), {}))
        assert registry.names() == ["goes", "stays"]
    assert registry.names() == ["stays"] and registry.custom_names() == []
    with pytest.raises(KeyError), registry.temporary():
        registry.register_operator(declare("goes"))
        raise KeyError
    assert registry.names() == ["stays"]


def test_find_gives_none_where_lookup_raises():
    assert registry.find("no_such_operator") is None
    registry.register_operator(declare("dot"))
    assert registry.find("dot") is registry.lookup("dot")
    with pytest.raises(OperatorNotFoundError, match="opforge has no operator"):
        registry.lookup("no_such_operator")


def test_find_raises_where_nothing_decides():
    for provider in ("a", "b"):
        registry.register_operator(declare("twice"), provider)
    with pytest.raises(AmbiguousOperatorError):
        registry.find("twice")
