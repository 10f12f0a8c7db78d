"""Properties of a registry that test_registry.py does not test: case-insensitive names."""

import pytest

from opforge.base.errors import PluginError
from opforge.op.registry.entry import Entry
from opforge.op.registry.journal import transaction
from opforge.op.registry.kinds import Kind
from opforge.op.registry.table import Registry


@pytest.fixture
def table():
    return Registry(Kind("shape", "shapes", "opforge.fx_shapes", "", folded=True))


def test_names_are_found_in_any_case_and_shown_as_they_were_given(table):
    entry = Entry("BigRound", object, "acme", "1", "plugin")
    table.add(entry)
    assert table.lookup("bigROUND") is entry
    assert list(table.providers("biground")) == ["acme"]
    assert table.names() == ["BigRound"]


def test_two_of_one_provider_that_differ_in_case_alone_are_a_conflict(table):
    table.add(Entry("Round", int, "acme", "1", "plugin"))
    with pytest.raises(PluginError, match="registered twice by acme"):
        table.add(Entry("round", str, "acme", "1", "plugin"))


def test_a_path_may_be_registered_again_but_not_another_one(table):
    table.add(Entry("round", "".join(["acme.", "round"]), "acme", "1", "plugin"))
    table.add(Entry("round", "".join(["acme", ".round"]), "acme", "1", "plugin"))
    with pytest.raises(PluginError, match=r"twice by acme: acme\.round and acme\.oval"):
        table.add(Entry("round", "acme.oval", "acme", "1", "plugin"))


def test_a_pin_is_found_in_any_case(table, monkeypatch):
    monkeypatch.setenv("OPFORGE_PIN", "ROUND=acme")
    table.add(Entry("round", int, "acme", "1", "plugin"))
    table.add(Entry("Round", str, "best", "1", "plugin"))
    assert table.lookup("round").provider == "acme"


def test_own_contributions_stay_when_the_plugin_that_imported_them_fails(table):
    with pytest.raises(RuntimeError), transaction():
        table.add_own("Round", int)
        table.add(Entry("Square", str, "acme", "1", "plugin"))
        raise RuntimeError
    assert table.names() == ["Round"]
    assert table.lookup("round").origin_text.startswith("std of opforge ")
