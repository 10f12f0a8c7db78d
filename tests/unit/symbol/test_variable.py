import numpy as np
import pytest

from opforge import AttrScope, init, sym
from opforge.symbol.variable import typed_variable


def test_keywords_of_a_variable_are_attributes():
    x = sym.var(
        "x",
        attr={"mood": "angry", "lr_mult": "9"},
        shape=(2, 0),
        lr_mult=2,
        wd_mult=0.5,
        dtype="float16",
        init=init.One(),
        __own__=3,
    )
    assert x.list_attr() == {
        "mood": "angry",
        "__shape__": "(2, 0)",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__wd_mult__": "0.5",
        "wd_mult": "0.5",
        "__dtype__": "2",
        "__init__": '["one", {}]',
        "__own__": "3",
    }
    assert sym.Variable is sym.var


@pytest.mark.parametrize(
    ("given", "key", "text"),
    [
        ({"shape": 3}, "__shape__", "3"),
        ({"shape": [1, np.int64(2)]}, "__shape__", "[1, 2]"),
        ({"init": "ones"}, "__init__", "ones"),
        ({"dtype": np.float64}, "__dtype__", "1"),
        ({"stype": "default"}, "__storage_type__", "0"),
        ({"stype": "row_sparse"}, "__storage_type__", "1"),
    ],
)
def test_spellings(given, key, text):
    assert sym.var("x", **given).attr(key) == text


def test_declared_shapes_count_in_inference():
    assert sym.exp(sym.var("x", shape=3)).infer_shape()[1] == [(3,)]
    assert sym.exp(sym.var("x", shape=[1, 2])).infer_shape()[1] == [(1, 2)]
    found = (sym.var("x", shape=(0, 4)) + sym.var("y", shape=(3, 0))).infer_shape()
    assert found == ([(3, 4), (3, 4)], [(3, 4)], [])
    assert sym.exp(sym.var("x", dtype="float16")).infer_type()[1] == [np.float16]


def test_scopes_reach_variables():
    with AttrScope(ctx_group="first", __mood__="calm"):
        x = sym.var("x", attr={"__mood__": "wild"})
    assert x.list_attr() == {"__ctx_group__": "first", "ctx_group": "first", "__mood__": "wild"}


def test_invalid_variables_are_rejected():
    with pytest.raises(TypeError, match="Expect a string for variable `name`"):
        sym.var(3)
    with pytest.raises(ValueError, match="Attribute name=weird is not supported"):
        sym.var("x", weird="1")
    with pytest.raises(ValueError, match="stype is 'odd', expected one of default"):
        sym.var("x", stype="odd")


def test_typed_variables_infer_at_once():
    x = typed_variable("x", (2, 3), 0)
    assert (x.shape, x.dtype) == ((2, 3), np.float32)
    assert sym.dot(x, x, transpose_b=True).shape == (2, 2)
