"""The table of rows as a whole."""

from opforge import std
from opforge.op.registry import lookup, names


def test_rows_are_registered_under_name_and_aliases():
    for row in std.ROWS:
        for name in (row.name, *row.aliases):
            entry = lookup(name)
            assert entry.prop_class is row
            assert (entry.kind, entry.provider) == ("std", "opforge")


def test_names_are_unique():
    every = [name for row in std.ROWS for name in (row.name, *row.aliases)]
    assert sorted(every) == sorted(set(every))


def test_every_row_says_what_it_does():
    for row in std.ROWS:
        assert row.doc_line().endswith("."), row.name
        for attribute in row.attributes.values():
            assert attribute.doc.endswith("."), (row.name, attribute.name)


def test_every_row_differentiates_or_says_that_it_does_not():
    for row in std.ROWS:
        assert row.gradient is not None or not row.differentiable, row.name


def test_registering_again_changes_nothing():
    before = names()
    std.register()
    assert names() == before
