import inspect

import pytest

from opforge import cpu, nd, sym
from opforge.symbol.executed_symbol import ExecutedSymbol


def test_symbols_bind_as_soon_as_there_are_any():
    assert (sym.var("a") * 2).eval(a=nd.array([3]))[0].asnumpy().tolist() == [6]


@pytest.mark.parametrize("name", ["bind", "simple_bind", "eval"])
def test_the_methods_are_those_of_symbols(name):
    method = getattr(sym.Symbol, name)
    assert method is getattr(ExecutedSymbol, name)
    assert inspect.signature(method).parameters["ctx"]


def test_unknown_arguments_are_rejected():
    with pytest.raises(TypeError, match=r"Symbol\.bind got unknown arguments grads, other"):
        sym.var("a").bind(cpu(), {"a": nd.ones(1)}, other=1, grads=2)
