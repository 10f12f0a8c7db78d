import sys

import numpy as np
import pytest

from opforge import sym
from opforge.base.errors import ShapeError
from opforge.symbol.inference.inferred_symbol import infer_types_of
from opforge.symbol.inference.propagation import declared_type
from opforge.symbol.node import Node


def shapes(symbol, **given):
    args, outs, _ = symbol.infer_shape_partial(**given)
    return dict(zip(symbol.list_arguments(), args, strict=True)), outs


a, b = sym.var("a"), sym.var("b")


@pytest.mark.parametrize(
    ("symbol", "given", "found"),
    [
        (a + b, {"b": (2, 5)}, {"a": (2, 5)}),
        (a + b, {"a": (0, 3), "b": (2, 0)}, {"a": (2, 3), "b": (2, 3)}),
        (sym.exp(sym.log1p(sym.clip(a, a_min=0, a_max=1))) + b, {"b": (2, 5)}, {"a": (2, 5)}),
        (sym.add_n(a, b, sym.var("c")), {"b": (4,)}, {"a": (4,), "c": (4,)}),
        (sym.cast(a, dtype="float16") * sym.cast(b, dtype="float16"), {"b": (4,)}, {"a": (4,)}),
        (sym.transpose(a) + b, {"b": (2, 3)}, {"a": (3, 2)}),
        (sym.transpose(a, axes=(1, 2, 0)) + b, {"b": (2, 3, 4)}, {"a": (4, 2, 3)}),
        (sym.SwapAxis(a, dim1=0, dim2=2) + b, {"b": (2, 3, 4)}, {"a": (4, 3, 2)}),
        (sym.expand_dims(a, axis=1) + b, {"b": (2, 1, 3)}, {"a": (2, 3)}),
        (sym.concat(a, b, dim=1), {"a": (2, 3)}, {"b": (2, 0)}),
        (sym.concat(a, b, dim=1) + sym.var("c"), {"a": (2, 3), "c": (2, 7)}, {"b": (2, 4)}),
        (sym.stack(a, b), {"b": (2, 3)}, {"a": (2, 3)}),
        (sym.where(sym.var("c"), a, b), {"c": (2, 3), "a": (2, 0), "b": (0, 3)}, {"a": (2, 3)}),
        (sym.reshape(a, shape=(-1, 2)) + b, {"a": (0, 4), "b": (6, 2)}, {"a": (3, 4)}),
        (
            sym.FullyConnected(a, num_hidden=3, name="f") + b,
            {"a": (0, 4), "b": (2, 3)},
            {"a": (2, 4), "f_weight": (3, 4)},
        ),
        (
            sym.FullyConnected(a, num_hidden=3, flatten=False, name="f") + b,
            {"a": (2, 0, 4), "b": (2, 5, 3)},
            {"a": (2, 5, 4)},
        ),
    ],
)
def test_shapes_flow_backwards(symbol, given, found):
    known, _ = shapes(symbol, **given)
    assert {name: known[name] for name in found} == found


@pytest.mark.plugins
def test_types_flow_backwards():
    c = sym.dot(a, sym.exp(b)) + sym.var("c", dtype="float64")
    assert set(c.infer_type()[0]) == {np.float64}
    # Casts end it.
    half = sym.cast(a, dtype="float16") + sym.var("c", dtype="float16")
    assert half.infer_type_partial()[0] == [None, np.float16]
    assert sym.Activation(a, act_type="relu").infer_type(a="float16")[1] == [np.float16]


def test_constants_with_unknown_dimensions_are_completed():
    total = sym.zeros((0, 2)) + a
    assert total.infer_shape(a=(5, 2)) == ([(5, 2)], [(5, 2)], [])


def test_equal_layers_are_asked_once():
    net = a
    for _ in range(3):
        net = sym.FullyConnected(net, num_hidden=4)
    found = infer_types_of(net.edges, {"a": (2, 4)}, {"a": 0})
    asked = [key for key in found.answers if key[0] == "shape"]
    assert len(asked) <= 4


def test_declared_types():
    assert declared_type(Node("x", attrs={"__shape__": "(2, -1)", "__dtype__": "1"})).shape == (
        2,
        0,
    )
    assert declared_type(Node("x", attrs={"__shape__": "[3]"})).shape == (3,)
    assert declared_type(Node("x", attrs={"__dtype__": "-1"})).code == -1


def test_the_error_has_both_shapes_wherever_they_meet():
    net = a
    for _ in range(5):
        net = sym.exp(net)
    with pytest.raises(ShapeError, match=r"\(2, 3\).*\(3, 2\)|\(3, 2\).*\(2, 3\)"):
        (net + b).infer_shape(a=(2, 3), b=(3, 2))


def chain(length, backwards):
    net = sym.var("x")
    for _ in range(length):
        net = net + 1
    return net + sym.var("y", shape=(2, 3)) if backwards else net


def calls(symbol, **given):
    """Return the number of function calls, which a busy machine cannot affect, unlike a clock."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        assert symbol.infer_shape(**given)[1] == [(2, 3)]
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("backwards", [False, True])
def test_the_work_is_linear_in_the_length_of_a_chain(backwards):
    given = {} if backwards else {"x": (2, 3)}
    short, long = (calls(chain(length, backwards), **given) for length in (500, 5_000))
    assert short > 1_000
    assert long < 11 * short
