import pytest

from opforge import cpu, nd, sym
from opforge.gluon.nested_inputs import first_context, has, is_for_no_graph
from opforge.ndarray import NDArray


def test_arrays_are_found_at_any_depth():
    nested = (None, [sym.var("x"), (nd.ones(2, cpu(1)), nd.ones(2, cpu(2)))])
    assert has(NDArray, nested)
    assert not has(NDArray, nested[:1])
    assert first_context(nested) == cpu(1)
    with pytest.raises(ValueError, match="requires NDArray inputs, but got NoneType"):
        first_context((None, [sym.var("x")]))


def test_shapes_that_graphs_take_for_unknown():
    assert not is_for_no_graph([nd.ones((1,)), "text"])
    assert is_for_no_graph(["text", [nd.zeros(())]])
    assert is_for_no_graph((nd.zeros((2, 0)),))
    assert is_for_no_graph((nd.zeros((2, 1)), [nd.zeros((2, 1), stype="csr")]))
