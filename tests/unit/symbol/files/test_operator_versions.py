"""Saved graphs run the operator version that they were created with."""

import pytest

from opforge import nd, sym
from opforge.op.calling.functions import forget_functions
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry
from opforge.symbol.files import loading


def version(number, factor):
    class Times(OperatorProp):
        """Multiply data."""

        name = "fx_times"
        version = number

        def compose(self, F, data):
            return data * factor

    return Times


@pytest.fixture(autouse=True)
def two(monkeypatch):
    """Register two versions of one operator."""
    monkeypatch.setattr(registry.OPERATORS, "_table", dict(registry.OPERATORS._table))
    for number, factor in ((1, 10), (2, 20)):
        registry.register_operator(version(number, factor), "acme", "2.0", "plugin")
    yield
    registry.OPERATORS.forget_decisions()
    forget_functions()


def run(symbol):
    return symbol.bind(nd.zeros(1).context, {"x": nd.ones((1,))}).forward()[0].asscalar()


@pytest.mark.parametrize(("name", "result"), [("fx_times", 20), ("fx_times@1", 10)])
def test_graphs_keep_their_version(name, result, monkeypatch):
    monkeypatch.setattr(loading, "check_bill", lambda bill: None)  # acme is not really installed
    made = getattr(sym, name)(sym.var("x"))
    loaded = sym.load_json(made.tojson())
    assert run(made) == run(loaded) == result
    assert loaded.tojson() == made.tojson()


def test_arrays_call_each():
    x = nd.ones((1,))
    assert nd.fx_times(x).asscalar() == 20
    assert getattr(nd, "fx_times@1")(x).asscalar() == 10
    assert getattr(nd, "acme::fx_times@2")(x).asscalar() == 20
