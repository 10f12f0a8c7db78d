import sys

import pytest

from opforge.cli.reference.declarations import (
    installed_layers,
    installed_operators,
    layers_of,
    operators_of,
)
from opforge.op.calling.documentation import function_doc
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registry import lookup, transaction
from opforge.plugin import Provider

SOURCE = '''\
from opforge.plugin_api import Attribute, HybridBlock, OperatorProp
1 / 0
LIMIT = 3
class Base(HybridBlock):
    def __init__(self, units: int, **kwargs):
        pass
class Layer(Base):
    """A layer."""
class Plain:
    pass
class Op(OperatorProp):
    """Do it.

    Examples
    --------
    >>> 1
    """
    arguments = ("a", "b")
    argument_docs = {"a": "first"}
    outputs = ("x", "y")
    version = 2
    k = Attribute(int, default=1, ge=1, doc="How many.")
    limit = Attribute(int, default=LIMIT, doc="Most.")
class Hidden(Op):
    def num_visible_outputs(self): return 1
'''


@pytest.fixture
def provider(tmp_path):
    """Return a function that creates a provider from the source of a module."""

    def make(source=SOURCE, layers=(), **operators):
        (tmp_path / "fx_declared.py").write_text(source)
        places = {name: f"fx_declared:{cls}" for name, cls in operators.items()}
        kinds = {"operator": places, "layer": {n: f"fx_declared:{n}" for n in layers}}
        return Provider("fx-declared", "1.0", {}, kinds), (str(tmp_path),)

    return make


def test_operators_are_declared_from_source_text(provider):
    (op,) = operators_of(*provider(op="Op"))
    assert op.problem == ""
    assert op.entry.provider_text == "fx-declared 1.0"
    assert op.prop_class.arguments == ("a", "b")
    assert op.prop_class.version == 2
    assert op.visible == 2
    assert op.text.startswith("Do it.")
    doc = function_doc(op.entry)
    assert "a : NDArray\n    first" in doc
    assert "k : int, optional, default='1', k >= 1\n    How many." in doc
    assert "limit : int, see the source\n    Most." in doc
    assert ">>> 1" in doc
    assert "fx_declared" not in sys.modules


def test_outputs_that_are_computed_are_not_counted(provider):
    (op,) = operators_of(*provider(op="Hidden"))
    assert op.visible is None
    assert op.prop_class.outputs == ("x", "y")


@pytest.mark.parametrize(
    "body",
    [
        "arguments = 3",
        "arguments = (1, 2)",
        "arguments = ('k',)\n    k = Attribute(int)",
        "outputs = 'x'",
        "argument_docs = 3",
        "argument_docs = {1: 2}",
        "attrs = 3",
        "version = '1'",
        "variadic = []",
        "variadic = 'n'",
        "compose = Attribute(int)",
        "__slots__ = Attribute(int)\n    version = None",
    ],
)
def test_nonsense_is_a_problem_and_no_crash(provider, body):
    (op,) = operators_of(*provider(f"class Op:\n    {body}\n", op="Op"))
    assert op.problem
    assert op.visible is None
    assert function_doc(op.entry).startswith("Operator op.")


def test_missing_classes_and_folders_are_reported(provider):
    missing, _ = operators_of(*provider(missing="Missing", op="Op"))
    assert "no class Missing" in missing.problem
    (op,) = operators_of(provider(op="Op")[0], ("/no/such/folder",))
    assert "was not found" in op.problem


def test_layers(provider):
    (layer,) = layers_of(*provider(layers=["Layer"]))
    assert (layer.text, layer.base) == ("A layer.", "HybridBlock")
    assert [argument.arg for argument in layer.arguments.args] == ["self", "units"]
    (plain,) = layers_of(*provider(layers=["Plain"]))
    assert (plain.base, plain.arguments) == ("Block", None)
    (missing,) = layers_of(*provider(layers=["Missing"]))
    assert "no class Missing" in missing.problem


@pytest.mark.plugins
def test_source_equals_the_registry():
    """Each operator of a plugin, read from source text and loaded."""
    from opforge import plugin

    for state in plugin.states():
        for read in operators_of(state.provider):
            loaded = lookup(f"{state.provider.name}::{read.name}").prop_class
            assert read.prop_class.arguments == tuple(loaded.arguments)
            assert read.prop_class.outputs == tuple(loaded.outputs)
            assert read.prop_class.version == loaded.version
            found = {k: a.describe for k, a in read.prop_class.attributes.items()}
            assert found == {k: a.describe for k, a in loaded.attributes.items()}


@pytest.mark.plugins
def test_installed_operators_and_layers():
    found = installed_operators()
    assert [op.name for op in found] == sorted(op.name for op in found)
    assert {op.entry.provider for op in found} >= {"opforge", "opforge-softmax"}
    assert all(op.problem == "" for op in found if op.entry.provider.startswith("opforge"))
    assert {op.entry.provider for op in installed_operators(["opforge-tile"])} == {"opforge-tile"}
    assert [layer.name for layer in installed_layers(["opforge-dense"])] == ["Dense"]


def test_operators_of_the_program_have_no_distribution():
    from opforge.op.registry.registry import register_operator

    class Own(OperatorProp):
        """Mine."""

        name = "fx_own_operator"

    class Undo(Exception):
        """Ends the transaction."""

    with pytest.raises(Undo), transaction():
        register_operator(Own, "", "", "custom")
        assert "fx_own_operator" not in [op.name for op in installed_operators()]
        raise Undo
