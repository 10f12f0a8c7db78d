import pytest

from opforge import sym
from opforge.symbol.control.loops import Loop, row_of
from opforge.symbol.node import Type


@pytest.mark.parametrize(("shape", "row"), [((5, 2), (2,)), ((5,), (1,)), ((), ())])
def test_a_row_has_one_axis_less(shape, row):
    assert row_of(Type(shape, 0)) == Type(row, 0)


def test_foreach_has_mxnets_attributes():
    w = sym.var("w")
    out, _ = sym.contrib.foreach(
        lambda r, s: (r * w, s + sym.exp(w)), sym.var("data"), sym.var("state")
    )
    assert out.edges[0][0].operation.attributes == {
        "in_data_locs": "[0]",
        "in_state_locs": "[2]",
        "num_args": "4",
        "num_out_data": "1",
        "num_outputs": "2",
        "remain_locs": "[1]",
    }


def test_while_loop_has_mxnets_attributes():
    w = sym.var("w")
    out, _ = sym.contrib.while_loop(
        lambda i, s: i < 5,
        lambda i, s: ([i + s], [i + 1, s + i * w]),
        [sym.var("i"), sym.var("s")],
        max_iterations=7,
    )
    assert out[0].edges[0][0].operation.attributes == {
        "cond_input_locs": "[0]",
        "func_input_locs": "[0, 1, 2]",
        "func_var_locs": "[0, 1]",
        "max_iterations": "7",
        "num_args": "5",
        "num_out_data": "1",
        "num_outputs": "3",
    }


def test_a_loop_says_how_long_it_is():
    out, _ = sym.contrib.foreach(lambda r, s: (r, s), sym.var("x"), sym.var("h"))
    prop = out.edges[0][0].operation.prop
    assert prop.iterations([Type((7, 2), 0), Type((2,), 0)]) == 7
    assert prop.iterations([Type((), 0), Type((2,), 0)]) == 0
    with pytest.raises(NotImplementedError, match=r"iterations\(\)"):
        Loop(prop.subgraphs, 1, 1, 2).iterations([])
