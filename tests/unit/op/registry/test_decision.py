"""Tests of the resolution of names."""

import pytest

from opforge.op.registry.decision import decide
from opforge.op.registry.naming import split_full_name

TWO = {"acme-a": "Acme_A", "acme-b": "acme-b"}


@pytest.mark.parametrize(
    ("name", "in_core", "found", "preferred", "pin", "reason", "provider"),
    [
        ("x", False, {}, (), None, "not installed", ""),
        ("x", False, {"a": "a"}, (), None, "only provider", "a"),
        ("x", False, TWO, (), None, "ambiguous", ""),
        ("x", True, {**TWO, "opforge": "opforge"}, (), None, "primitive set", "opforge"),
        ("x", False, TWO, (), "acme_b", "pinned", "acme-b"),
        ("x", True, TWO, (), "acme-b", "pinned", "acme-b"),
        ("x", False, TWO, (), "nobody", "not a provider", "nobody"),
        ("x", False, TWO, ("acme-a",), "acme-b", "preferred", "Acme_A"),
        ("x", True, TWO, ("nobody", "acme-b"), None, "preferred", "acme-b"),
        ("x", False, TWO, ("nobody",), "acme-b", "pinned", "acme-b"),
        ("x", True, TWO, ("nobody",), None, "primitive set", "opforge"),
        ("Acme.A::x@2", False, TWO, ("acme-b",), "acme-b", "full name", "Acme_A"),
        ("opforge::x", True, TWO, (), None, "full name", "opforge"),
        ("nobody::x", True, TWO, (), None, "not a provider", "nobody"),
    ],
)
def test_decisions(name, in_core, found, preferred, pin, reason, provider):
    decision = decide(split_full_name(name), in_core, lambda: found, preferred, pin)
    assert (decision.reason, decision.provider) == (reason, provider)


def test_a_primitive_name_reads_no_metadata():
    def forbidden():
        raise AssertionError("metadata was read")

    assert decide(split_full_name("x"), True, forbidden).candidates == ("opforge",)
    assert decide(split_full_name("opforge::x"), True, forbidden).reason == "full name"


def test_candidates_are_sorted_with_the_core_first():
    found = {"b": "b", "opforge": "opforge", "a": "a"}
    decision = decide(split_full_name("x"), False, lambda: found)
    assert decision.candidates == ("opforge", "a", "b")
