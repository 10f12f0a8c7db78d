"""Tests of the rows behind tables and JSON."""

from opforge.cli.reference import rows
from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry


class Demo(OperatorProp):
    """Show a row."""

    name = "fx_demo"
    aliases = ("_fx_hidden",)
    arguments = ("data", "label")
    axis = Attribute(int, default=0, doc="An axis.")


def test_registered_operator(monkeypatch):
    monkeypatch.setattr(registry.OPERATORS, "_table", {})
    registry.register_operator(Demo, "acme", "3", "plugin")
    (row,) = rows.candidates("fx_demo", with_source=True)
    assert (row["arguments"], row["plugin"], row["version"]) == (["data", "label"], "acme", "3")
    assert row["attributes"] == [
        {"name": "axis", "type": "int, optional, default='0'", "doc": "An axis."}
    ]
    assert rows.details(row)["file"].partition(".py:")[0].endswith("test_rows")


def test_unknown_name_has_no_candidates():
    assert rows.candidates("no such operator") == []


def test_attributes_of_modules_that_are_not_functions(with_plugins, own_tables):
    with_plugins("fx-kinds")
    (row,) = rows.functions_of_modules("fx_parts.inner.fx_whole")
    assert (row["call"], row["doc"]) == ("fx_parts.inner.fx_whole()", "Return the whole.")
    for name in ("fx_parts.missing", "fx_parts.inner", "fx_parts.__all__", "fx_none.fx_whole"):
        assert rows.functions_of_modules(name) == []
