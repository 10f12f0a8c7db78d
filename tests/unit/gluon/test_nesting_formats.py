"""Formats of nested inputs and outputs, which programs for MXNet store beside exported files."""

import pytest

from opforge import nd, sym
from opforge.base.nesting import flatten
from opforge.gluon import HybridBlock, SymbolBlock
from opforge.gluon.nesting_formats import count_arrays, format_of, structure_of


class Nested(HybridBlock):
    def hybrid_forward(self, F, x, pair):
        return [x + pair[0], [x * pair[1], x]]


FORMS = (0, [0], [0, [-1, [0, 0]]], [])


@pytest.mark.parametrize("form", FORMS)
def test_structures_have_a_format(form):
    structure = structure_of(form)
    assert format_of(structure) == form
    assert count_arrays(form) == str(form).count("0")


def test_structures_are_those_of_flatten():
    assert structure_of([0, [-1, 0]]) == flatten([1, [None, 2]], int, [])


@pytest.mark.parametrize("form", [None, 2, "0", {}])
def test_other_formats_are_rejected(form):
    with pytest.raises(ValueError, match="describes no nesting"):
        structure_of([form])


def test_a_called_block_has_formats_and_its_graph():
    block = Nested()
    block.hybridize()
    assert (block._in_format, block._out_format, block._cached_graph) == (None, None, ())
    x = nd.array([1, 2])
    block(x, [x, x])
    assert block._in_format == [0, [0, 0]]
    assert block._out_format == [0, [0, 0]]
    inputs, graph = block._cached_graph
    assert [one.name for one in inputs] == ["data0", "data1", "data2"]
    assert graph.list_inputs() == ["data0", "data1", "data2"] and len(graph) == 3


def test_a_symbol_block_takes_the_formats_of_the_block_it_comes_from(tmp_path):
    block = Nested()
    block.hybridize()
    x, y = nd.array([1, 2]), nd.array([3, 4])
    first, (second, third) = block(x, [y, y])
    block.export(str(tmp_path / "net"))
    names = ["data0", "data1", "data2"]
    loaded = SymbolBlock.imports(str(tmp_path / "net-symbol.json"), names)
    assert (loaded._in_format, loaded._out_format) == ([0, 0, 0], [0, 0, 0])
    loaded._in_format, loaded._out_format = block._in_format, block._out_format
    assert loaded._out_format == [0, [0, 0]]
    found, (product, same) = loaded(x, [y, y])
    for one, expected in ((found, first), (product, second), (same, third)):
        assert one.asnumpy().tolist() == expected.asnumpy().tolist()
    with pytest.raises(ValueError, match=r"_out_format \[0\] has 1 arrays; expected 3"):
        loaded._out_format = [0]
    with pytest.raises(ValueError, match="_in_format 0 has 1 arrays; expected 3"):
        loaded._in_format = 0


def test_a_symbol_block_has_its_graph():
    x = sym.var("x")
    inputs, graph = SymbolBlock(x * 2, x)._cached_graph
    assert [one.name for one in inputs] == ["x"] and graph.list_inputs() == ["x"]
