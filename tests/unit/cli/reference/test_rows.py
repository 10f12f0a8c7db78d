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
