"""Functions of MXNet's Gluon that packages built on it import."""

import pytest

from opforge import cpu, nd, sym
from opforge.gluon.block import _brief_print_list, _flatten, _indent, _regroup
from opforge.gluon.data.dataloader import _as_in_context
from opforge.gluon.parameter import shape_is_known, tensor_types


def test_flatten_and_regroup_are_each_other_s_inverse():
    x, y = nd.ones(2), nd.zeros(3)
    nested = [x, [None, [y]], x]
    flat, form = _flatten(nested, "input")
    assert flat == [x, None, y, x] and form == [0, [-1, [0]], 0]
    assert _regroup(flat, form) == (nested, [])
    assert _regroup([*flat, 1], form)[1] == [1]


def test_symbols_with_several_outputs():
    both = sym.Group([sym.var("a"), sym.var("b")])
    assert _flatten(both, "input") == ([both], 2)
    assert _regroup([1, 2, 3], 2) == ([1, 2], [3])


def test_invalid_nestings_raise():
    with pytest.raises(ValueError, match=r"input of a HybridBlock must be an NDArray.*got int"):
        _flatten([3], "input")
    with pytest.raises(ValueError, match="expected None where it was None before, got 1"):
        _regroup([1], -1)
    with pytest.raises(ValueError, match="-2 describes no nesting"):
        _regroup([1], -2)


def test_arrays_in_lists_move():
    moved = _as_in_context([nd.ones(1), (nd.ones(1), "text")], cpu(1))
    assert moved[0].context == cpu(1) == moved[1][0].context and moved[1][1] == "text"


def test_texts():
    assert _indent("a\nb\nc", 2) == "a\n  b\n  c" and _indent("a", 4) == "a"
    assert _brief_print_list(["a", "b"]) == "'a', 'b'"
    assert _brief_print_list(list("abcdefgh")) == "'a', 'b', 'c', ..., 'e', 'f', 'g', 'h'"


def test_values():
    assert shape_is_known((2, 3)) and not shape_is_known((2, 0))
    assert isinstance(nd.ones(1), tensor_types) and isinstance(sym.var("x"), tensor_types)
