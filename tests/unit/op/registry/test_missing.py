"""Tests of the errors of name resolution."""

import pytest

from opforge.op.registry.entry import Entry
from opforge.op.registry.missing import (
    ambiguous_error,
    not_found_error,
    offer,
    pinned_error,
    version_error,
)
from opforge.op.registry.naming import FullName


def test_installed_but_broken_is_not_to_be_installed():
    message = str(not_found_error("operator", "tile", [], "plugin opforge-tile 1 failed: text"))
    assert "opforge-tile provides it\n" in message
    assert "pip install" not in message


def test_case_does_not_hide_a_close_name():
    message = str(not_found_error("operator", "fullyconnected", ["FullyConnected"]))
    assert "similar names: FullyConnected" in message


def test_nothing_close():
    message = str(not_found_error("layer", "zzzzzzz", ["Dense"]))
    assert message == "opforge has no layer 'zzzzzzz', and no known plugin provides it"


def test_ambiguous_lists_sorted():
    message = str(ambiguous_error("operator", "x", ["b", "a"]))
    assert message.startswith("operator 'x' is provided by a, b.")
    assert "a::x" in message


def test_pinned_keeps_the_report():
    name = FullName(None, "x", None)
    assert str(pinned_error("operator", name, "acme", [], "it is broken")).endswith("it is broken")


def test_full_names_do_not_suggest_a_pin():
    name = FullName("acme", "x", None)
    message = str(pinned_error("operator", name, "acme", ["b"]))
    assert "is requested from acme" in message
    assert "OPFORGE_PIN" not in message


@pytest.mark.parametrize(("version", "remedy"), [(3, "pip install -U acme"), (1, "Use acme::x@2")])
def test_a_version_that_is_not_there(version, remedy):
    entry = Entry("x", type("X", (), {"version": 2}), "acme", "1.5", "plugin")
    message = str(version_error("operator", FullName(None, "x", version), [entry]))
    assert message == f"operator 'x' of acme 1.5 has no version {version}; it has 2. {remedy}"


def test_small_letters_go_first_among_names_that_differ_in_case():
    message = str(not_found_error("operator", "sofmax", ["Softmax", "softmax"]))
    assert "similar names: softmax" in message
    assert "Softmax" not in message


@pytest.mark.parametrize(
    ("distribution", "is_standard"),
    [("opforge-dense", True), ("opforge-mpi", False), ("acme-gelu", False)],
)
def test_the_extra_is_offered_for_standard_plugins(distribution, is_standard):
    text = offer(distribution)
    assert text.startswith(f"{distribution} provides it: pip install {distribution}")
    assert ("pip install 'opforge[std]'" in text) == is_standard


def test_nothing_is_offered_for_a_plugin_that_the_report_names():
    assert offer("opforge-dense", "opforge-dense is broken") == "opforge-dense provides it"
