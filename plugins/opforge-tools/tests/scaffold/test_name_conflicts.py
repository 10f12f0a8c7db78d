"""Tests of names that something has already."""

import pytest
from opforge_tools.scaffold import Contribution, Project
from opforge_tools.scaffold.name_conflicts import taken_contribution, taken_names


@pytest.fixture(autouse=True)
def _install_plugins(fake_dist):
    operators = {"acme_scale": "acme_good:Scale"}
    fake_dist("acme-good", operators=operators, layers={"AcmeLayer": "acme_good:AcmeLayer"})


def test_free_names_are_not_spoken_of():
    assert taken_names(Project("acme-swish", layer=True)) == []


def test_an_installed_distribution_would_be_replaced():
    (found,) = taken_names(Project("acme-good"))
    assert found.startswith("acme-good 1.0 is installed here")


def test_a_package_that_can_be_imported_would_be_hidden(tmp_path, monkeypatch):
    (tmp_path / "acme_there.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    (found,) = taken_names(Project("Acme-There"))
    assert found.startswith("a package 'acme_there' can already be imported")


def test_an_operator_and_a_layer_of_others_would_be_ambiguous():
    found = taken_names(Project("acme-swish", layer=True, operator="acme_scale"))
    assert found == [taken_contribution(Contribution("numpy", "acme_scale"), "acme-swish")]
    assert "the operator 'acme_scale' is already provided by acme-good 1.0" in found[0]
    (layer,) = taken_names(Project("acme-swish", layer=True, operator="AcmeLayer"))
    assert "the layer 'AcmeLayer' is already provided by acme-good 1.0" in layer


def test_a_recreated_plugin_does_not_conflict_with_itself():
    assert taken_contribution(Contribution("numpy", "acme_scale"), "ACME_good") == ""
