"""Every operator and layer that has a page shows an example, and the examples are correct."""

from itertools import groupby
from pathlib import Path

import pytest
from opforge_tools.testing._battery.checks.examples import run_examples

from opforge.cli.reference.declarations import installed_layers, installed_operators
from opforge.op.registry.naming import public_name
from opforge.op.registry.registry import lookup

pytestmark = pytest.mark.plugins

PLUGINS = Path(__file__).resolve().parents[2] / "plugins"
#: Other distributions are those that tests register, or a developer's own.
FIRST_PARTY = {"opforge", *(folder.name for folder in PLUGINS.glob("opforge-*"))}


def operators_by_provider():
    """Return the operators with a public name, once each, by distribution."""
    shown = [
        op
        for op in installed_operators()
        if provider_of(op) in FIRST_PARTY and not public_name(op.name).startswith("_")
    ]
    by_provider = groupby(sorted(shown, key=provider_of), key=provider_of)
    return [pytest.param(list(group), id=provider) for provider, group in by_provider]


def provider_of(operator):
    return operator.entry.provider


@pytest.mark.parametrize("operators", operators_by_provider())
def test_every_operator_has_an_example_that_runs(operators):
    missing = [operator.name for operator in operators if ">>>" not in operator.text]
    assert not missing, "add an Examples section to the docstring of the declaration"
    for declaration in {lookup(operator.name).prop_class for operator in operators}:
        run_examples(declaration)


def test_every_layer_has_an_example():
    """The batteries of the plugins run them."""
    layers = [layer for layer in installed_layers() if layer.provider in FIRST_PARTY]
    missing = [layer.name for layer in layers if ">>>" not in layer.text]
    assert layers
    assert not missing, "add an Examples section to the docstring of the layer"
