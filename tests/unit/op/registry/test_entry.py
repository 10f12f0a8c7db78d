"""Tests of registry entries."""

import json.decoder

import pytest

from opforge.op.registry.entry import Entry


@pytest.mark.parametrize(
    ("entry", "origin", "full_name"),
    [
        (Entry("x", int, "opforge", "1", "std"), "std of opforge 1", "opforge::x"),
        (Entry("x", int, "acme", "2", "plugin"), "plugin acme 2", "acme::x"),
        (Entry("x", int), "registered in this program", "x"),
    ],
)
def test_names(entry, origin, full_name):
    assert entry.origin_text == origin
    assert entry.full_name == full_name


def test_object_names_are_qualified():
    assert Entry("x", Entry).object_name == "opforge.op.registry.entry.Entry"
    assert Entry("x", pytest).object_name == "pytest"


def test_a_module_may_be_given_by_its_import_path():
    entry = Entry("x", "json.decoder", "acme", "2", "plugin")
    assert entry.object_name == "json.decoder"
    assert entry.contribution is json.decoder
    assert Entry("x", Entry).contribution is Entry


def test_versions():
    entry = Entry("x", type("X", (), {"version": 3}), "acme", "2", "plugin")
    assert (entry.operator_version, entry.versioned_name) == (3, "acme::x@3")
    assert Entry("Layer", type("Layer", (), {}), "acme").operator_version == 1
