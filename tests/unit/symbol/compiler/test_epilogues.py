"""Operators that become an epilogue; everything else is unchanged."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import cpu, nd, sym
from opforge.base.dtypes import code_of
from opforge.std.linear import FullyConnected
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.epilogues import operand_source
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import Type

SHAPES = {"x": (4, 6), "y": (4, 6), "v": (6,), "column": (4, 1), "cube": (2, 4, 6)}
SHAPES |= {"w": (6, 6), "b": (6,)}
X, V, COLUMN, Y, W, B = (sym.var(name) for name in ("x", "v", "column", "y", "w", "b"))
CUBE = sym.var("cube")


def dense(data=X):
    return sym.FullyConnected(data, W, B, num_hidden=6, name="dense")


def compiled(symbol, wanted=(), dtype=0):
    names = symbol.list_inputs()
    graph = lower(symbol, {n: SHAPES[n] for n in names}, dict.fromkeys(names, dtype))
    return compile_graph(graph, dict.fromkeys(wanted, "write"))


def n_forward(symbol, wanted=(), dtype=0):
    return compiled(symbol, wanted, dtype).n_forward


def arrays_of(symbol, dtype="float32"):
    rng = np.random.default_rng(0)
    return {
        name: nd.array(rng.normal(size=SHAPES[name]), dtype=dtype) for name in symbol.list_inputs()
    }


def outcome(symbol, dtype="float32"):
    """Return outputs and gradients of all inputs."""
    arrays = arrays_of(symbol, dtype)
    grads = {name: nd.zeros_like(array) for name, array in arrays.items()}
    bound = symbol.bind(cpu(), arrays, grads)
    outputs = bound.forward(is_train=True)
    bound.backward([nd.ones_like(output) for output in outputs])
    return [array.asnumpy() for array in (*outputs, *grads.values())]


def gated(y):
    return y * sym.tanh(y)


def leaky(y):
    return sym.maximum(y * 0.1, y)


#: Relative differences: without epilogues, bfloat16 is rounded after each step.
TOLERANCES = {"float32": 1e-6, "float64": 1e-6, "bfloat16": 3e-2}
ONE_STEP = {
    "number": lambda: dense() * 2 + 1,
    "number first": lambda: 1 - dense(),
    "activation": lambda: sym.tanh(dense()),
    "full": lambda: dense() + Y,
    "full first": lambda: Y - dense(),
    "columns": lambda: sym.broadcast_mul(dense(), V),
    "rows": lambda: sym.broadcast_add(dense(), COLUMN),
    "with itself": lambda: sym.elemwise_mul(*[dense()] * 2),
    "gated": lambda: gated(dense()),
    "leaky": lambda: leaky(dense()),
    "long": lambda: sym.tanh(sym.broadcast_add(gated(dense()) * 2, V) + Y),
    "after another": lambda: sym.tanh(dense(sym.log(Y * Y + 1))),
}


@pytest.mark.parametrize("case", ONE_STEP)
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_a_run_is_one_step_with_equal_results(case, dtype, monkeypatch):
    symbol = ONE_STEP[case]()
    before = 1 if case == "after another" else 0
    assert n_forward(symbol, dtype=code_of(dtype)) == 1 + before
    found = outcome(symbol, dtype)
    monkeypatch.setattr(FullyConnected, "epilogues", ())
    assert n_forward(symbol) > 1 + before
    tolerance = TOLERANCES[dtype]
    for have, want in zip(found, outcome(symbol, dtype), strict=True):
        scale = max(1, abs(want.astype("float64")).max())
        np.testing.assert_allclose(
            have.astype("float64"), want.astype("float64"), tolerance, tolerance * scale
        )


APART = {
    "two readers": lambda: sym.Group([sym.erf(dense()), sym.tanh(dense())]),
    "an output": lambda: sym.Group([dense(), sym.tanh(dense())]),
    "another shape": lambda: sym.broadcast_add(dense(), CUBE),
    "no such step": lambda: sym.log(dense()),
    "a reader elsewhere": lambda: sym.broadcast_add(sym.tanh(dense()), sym.sum(dense(), axis=0)),
}


@pytest.mark.parametrize("case", APART)
def test_other_readers_are_left_alone(case):
    made = compiled(APART[case]())
    assert any(call.label == "dense" for call in made.calls)


def test_other_types_are_left_alone(monkeypatch):
    assert n_forward(sym.abs(dense()), dtype=code_of("int32")) == 2
    assert n_forward(sym.tanh(dense()), dtype=code_of("float16")) == 2
    monkeypatch.setattr(FullyConnected, "epilogue_dtypes", ())
    assert n_forward(sym.tanh(dense()), dtype=code_of("bfloat16")) == 2
    assert n_forward(sym.tanh(dense())) == 1


def test_bfloat16_is_rounded_once():
    arrays = {name: nd.ones(SHAPES[name], dtype="bfloat16") for name in ("x", "w", "b")}
    # 7 + 1 / 64 is not a bfloat16: rounded before the subtraction it would be 7.
    symbol = (dense() + 2**-6) - 7
    (found,) = symbol.bind(cpu(), arrays).forward()
    assert set(found.asnumpy().ravel().tolist()) == {2**-6}


def test_unshared_operators_become_epilogues():
    y = sym.abs(dense(), name="abs")
    labels = [call.label for call in compiled(sym.Group([y, sym.tanh(y, name="tanh")])).calls]
    assert labels == ["dense+abs", "tanh"]


def test_of_two_results_the_later_one_is_given_the_sum():
    both = dense() + sym.FullyConnected(Y, W, num_hidden=6, no_bias=True, name="other")
    labels = [call.label for call in compiled(sym.tanh(both)).calls]
    assert labels[0] == "dense" and labels[1].startswith("other+") and len(labels) == 2


def test_values_read_by_gradients_are_kept():
    """The gradient of tanh reads its result, that of a product its factors."""
    assert n_forward(sym.tanh(dense()), ["x"]) == 1
    assert n_forward(gated(dense()), ["x"]) == 2


def test_operand_sources_of_vectors():
    result = Type((2, 3, 4, 8), 0)
    assert operand_source(result, result) == ("full",)
    assert operand_source(Type((3, 1, 1), 0), result) == ("spread", 32, 3, 1)
    assert operand_source(Type((1,), 0), result) == ("spread", 192, 1, 1)
    assert operand_source(Type((3, 1, 8), 0), result) == ("spread", 32, 3, 8)
    assert operand_source(Type((2, 1, 4, 1), 0), result) is None
    assert operand_source(Type((3, 1, 1), 1), result) is None, "another type"


UNARY = ("erf", "tanh", "exp", "abs", "square", "negative", "log", "sum")


@st.composite
def graphs(draw):
    """Draw a graph whose operators read a few of the earlier values."""
    values = [dense(), X, Y]
    for _ in range(draw(st.integers(1, 7))):
        pick = st.sampled_from(values)
        kind = draw(st.sampled_from(["unary", "number", "pair", "vector", "dense"]))
        value = draw(pick)
        if kind == "unary":
            name = draw(st.sampled_from(UNARY))
            if name == "log":
                value = sym.log(sym.abs(value) + 1)
            elif name == "sum":
                value = sym.broadcast_mul(X, sym.sum(value, axis=1, keepdims=True) * 0.1)
            else:
                value = getattr(sym, name)(value * 0.3)
        elif kind == "number":
            value = draw(st.sampled_from([value * 0.5, 2 - value, value + 1]))
        elif kind == "pair":
            other = draw(pick)
            value = draw(st.sampled_from([value + other, value - other, value * other * 0.2]))
        elif kind == "vector":
            value = draw(st.sampled_from([sym.broadcast_add, sym.broadcast_mul]))(value, V)
        else:
            value = sym.FullyConnected(value * 0.1, W, B, num_hidden=6)
        values.append(value)
    kept = draw(st.lists(st.sampled_from(values[3:]), min_size=1, max_size=2, unique_by=id))
    return sym.Group([value * 1 for value in kept])


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_epilogues_do_not_change_results(symbol):
    found = outcome(symbol, "float64")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FullyConnected, "epilogues", ())
        want = outcome(symbol, "float64")
    for have, expected in zip(found, want, strict=True):
        np.testing.assert_allclose(have, expected, 1e-9, 1e-9)
