import pytest

from opforge import sym
from opforge.symbol.control.nested_symbols import nested_symbols, separate


def test_a_symbol_of_several_outputs_counts_as_a_list():
    parts = sym.split(sym.var("x"), num_outputs=2, name="s")
    assert [item.list_outputs() for item in separate([parts])[0]] == [["s_output0"], ["s_output1"]]
    found, structure = nested_symbols(parts, "it")
    assert (len(found), structure) == (2, (list, ("here", "here")))


def test_a_single_output_is_not_a_list():
    x = sym.var("x")
    assert separate((x, None)) == (x, None)


def test_arrays_are_rejected():
    with pytest.raises(TypeError, match=r"data must be Symbols in .*, got 1 of type int"):
        nested_symbols([1], "data")
