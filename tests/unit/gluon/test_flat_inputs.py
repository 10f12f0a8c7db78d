import pytest

from opforge import nd, sym
from opforge.gluon.flat_inputs import FlatInputs


def test_arrays_are_found_at_any_depth():
    x, y = nd.ones(2), nd.ones(3)
    inputs = FlatInputs((None, [x, (y, [])]))
    assert inputs.arrays == [x, y]
    assert inputs.fit_graphs
    assert not inputs.are_symbols("block")


def test_symbols_are_not_mixed_with_arrays():
    x, y = sym.var("x"), sym.var("y")
    inputs = FlatInputs((None, [x, (y,)]))
    assert not inputs.fit_graphs
    assert inputs.are_symbols("block")
    for args in ((x, nd.ones(2)), (nd.ones(2), [x]), (x, [nd.ones(2).tostype("row_sparse")])):
        with pytest.raises(ValueError, match=r"mixed NDArrays and Symbols.*block got both"):
            FlatInputs(args).are_symbols("block")


def test_an_input_is_needed():
    with pytest.raises(ValueError, match="requires NDArray inputs, but got NoneType"):
        FlatInputs((None, [2])).are_symbols("block")


@pytest.mark.parametrize(
    ("args", "fit"),
    [
        (([nd.ones((1,)), "text"],), True),
        (("text", [nd.zeros(())]), False),
        ((nd.zeros((2, 0)),), False),
        ((nd.zeros((2, 1)), [nd.zeros((2, 1), stype="csr")]), False),
        ((), False),
    ],
)
def test_arrays_that_graphs_take(args, fit):
    assert FlatInputs(args).fit_graphs is fit
