"""Tests of names that something has already."""

import pytest

from opforge.scaffold import Project, Thing
from opforge.scaffold.taken import taken_names, taken_thing


@pytest.fixture(autouse=True)
def _installed(with_plugins):
    with_plugins("fx-good")


def test_free_names_are_not_spoken_of():
    assert taken_names(Project("acme-swish", layer=True)) == []


def test_an_installed_distribution_would_be_replaced():
    (found,) = taken_names(Project("fx-good"))
    assert found.startswith("fx-good 1.0 is installed here")


def test_a_package_that_can_be_imported_would_be_hidden():
    (found,) = taken_names(Project("Tests"))
    assert found.startswith("a package 'tests' can be imported here")


def test_an_operator_and_a_layer_of_others_would_be_ambiguous():
    found = taken_names(Project("acme-swish", layer=True, operator="fx_scale"))
    assert found == [taken_thing(Thing("numpy", "fx_scale"), "acme-swish")]
    assert "the operator 'fx_scale' is fx-good 1.0's here" in found[0]
    (layer,) = taken_names(Project("acme-swish", layer=True, operator="FxLayer"))
    assert "the layer 'FxLayer' is fx-good 1.0's here" in layer


def test_a_plugin_that_is_made_anew_has_its_own_name():
    assert taken_thing(Thing("numpy", "fx_scale"), "FX_good") == ""
