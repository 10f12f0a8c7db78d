import re

import pytest

import opforge as mx
from opforge import sym


def megabytes(graph, **settings):
    executor = graph.simple_bind(mx.cpu(), x=(64, 3, 64, 64), **settings)
    return int(re.search(r"Total (\d+) MB allocated", executor.debug_str())[1])


def test_nodes_and_attributes():
    y = sym.sum(sym.var("x") * 2, axis=1, name="y")
    lines = y.simple_bind(mx.cpu(), x=(2, 3)).debug_str().splitlines()
    assert lines[:3] == ["Symbol Outputs:", "\toutput[0]=y(0)", "Variable:x"]
    assert "Op:sum, Name=y" in lines
    assert "\taxis=1" in lines
    assert lines.count("-" * 20) == 2


def test_gradients_take_memory():
    x = sym.var("x")
    for _ in range(4):
        x = sym.sin(x) * sym.cos(x)
    assert megabytes(x) > megabytes(x, grad_req="null")


def test_a_symbol_has_no_gradient_of_its_own():
    with pytest.raises(mx.MXNetError, match=r"no gradient\(\).*executor's backward"):
        sym.var("x").gradient(["x"])
