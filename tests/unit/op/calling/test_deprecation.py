"""Tests of warnings about deprecated operators."""

import warnings

import pytest

from opforge import nd, sym
from opforge.op.calling.deprecation import deprecation_text
from opforge.op.calling.functions import forget_functions
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry import registry


class Old(OperatorProp):
    """Double, in the old way."""

    name = "fx_old"
    deprecated_since = "1.5"
    replacement = "fx_new"

    def compose(self, F, data):
        return data * 2


@pytest.fixture(autouse=True)
def old(monkeypatch):
    monkeypatch.setattr(registry.OPERATORS, "_table", dict(registry.OPERATORS._table))
    registry.register_operator(Old, "acme", "2.0", "plugin")
    yield
    registry.OPERATORS.forget_decisions()
    forget_functions()


def test_each_line_is_warned_once():
    x = nd.ones((2,))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            nd.fx_old(x)
        nd.fx_old(x)
        sym.fx_old(sym.var("x"))
    assert [warning.filename for warning in seen] == [__file__] * 3
    assert len({warning.lineno for warning in seen}) == 3
    text = "operator acme::fx_old@1 is deprecated since 1.5; use fx_new"
    assert {str(warning.message) for warning in seen} == {text}


def test_the_documentation_says_it():
    assert ".. deprecated:: 1.5; use fx_new" in nd.fx_old.__doc__


def test_deprecation_text_without_a_replacement():
    assert deprecation_text("2", "") == "2"
