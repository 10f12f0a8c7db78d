"""Attributes of variables, and rejected ones."""

import pytest

from opforge import gluon, init, nd, optimizer, sym
from opforge.base.errors import AttributeValueError, OpforgeError
from opforge.symbol.node import UNKNOWN, Node, Type
from opforge.symbol.variable_attributes import (
    check_declared,
    declared_factor,
    declared_storage,
    declared_type,
)


def variable(**attrs):
    return Node("x", attrs=attrs)


def test_storage_types():
    said = {"0": "default", "1": "row_sparse", "2": "csr", "-1": "default"}
    assert {n: declared_storage(variable(__storage_type__=n)) for n in said} == said
    assert declared_storage(variable()) == "default"
    for text in ("3", "csr", "-2", ""):
        with pytest.raises(AttributeValueError, match="__storage_type__"):
            check_declared(variable(__storage_type__=text))


def test_shapes_and_types():
    assert declared_type(variable()) == UNKNOWN
    assert declared_type(variable(__shape__="(2, 3)", __dtype__="7")) == Type((2, 3), 7)
    assert declared_type(variable(__shape__="[2, -1]", __dtype__="-1")) == Type((2, 0), -1)
    assert declared_type(variable(__shape__="5")).shape == (5,)
    assert declared_type(variable(__shape__="(4L, 192L)")).shape == (4, 192)
    assert declared_type(variable(__shape__="None", __dtype__="float64")) == Type((), 1)
    assert declared_factor("x", "__lr_mult__", "0.5") == 0.5


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("__shape__", "(2,"),
        ("__shape__", "x"),
        ("__shape__", "(2.5,)"),
        ("__shape__", "('2,3',)"),
        ("__shape__", "(1e400,)"),
        ("__shape__", "(99999999999999999999,)"),
        ("__shape__", "(" * 300),
        ("__shape__", "\ud800"),
        ("__dtype__", "x"),
        ("__dtype__", "8"),
        ("__dtype__", "-2"),
        ("__dtype__", ""),
        ("__lr_mult__", "fast"),
        ("__wd_mult__", "()"),
    ],
)
def test_unreadable_attributes_name_variable_and_key(key, text):
    with pytest.raises(AttributeValueError, match=f"variable 'x': attribute {key} is "):
        check_declared(variable(**{key: text}))


def test_later_readers_reject_them():
    data = sym.var("x", attr={"__shape__": "(2,"})
    for read in (data.infer_shape, lambda: gluon.SymbolBlock(data * 2, sym.var("y"))):
        with pytest.raises(OpforgeError, match="'x': attribute __shape__"):
            read()
    factors = sym.var("w", attr={"__lr_mult__": "fast"})
    with pytest.raises(OpforgeError, match="'w': attribute __lr_mult__ is 'fast'"):
        optimizer.create("sgd", sym=factors, param_idx2name={0: "w"})
    for wish in ('["uniform", {', "no_such_one", '["uniform", {"speed": 1}]', "[" * 5000):
        with pytest.raises(OpforgeError, match="'w': attribute __init__ is"):
            init.Uniform()(init.InitDesc("w", {"__init__": wish}), nd.zeros(2))
