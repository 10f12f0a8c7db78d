"""Epilogues of C operators: by the host, by the operator, after products, and rejected ones."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import cpu, nd, sym
from opforge.base.errors import OperatorError
from opforge.plugin_api import Attribute, OperatorProp, native
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.lowering import lower
from opforge.testing import check_op

from .conftest import load_module
from .declarations import FIXED, declare, registered

SUPPORTED = ("add", "subtract", "multiply", "maximum", "relu")


@pytest.fixture(scope="module")
def epilogue(build):
    return load_module(build("epilogue", source="epilogue.c"))


@pytest.fixture(scope="module", autouse=True)
def operators(epilogue):
    all_steps = {**FIXED, "epilogues": native.EPILOGUES}
    declared = [
        declare(epilogue, "doubled", **all_steps),
        declare(epilogue, "by_hand", **FIXED, epilogues=SUPPORTED),
        declare(
            *(epilogue, "product"),
            arguments=("x", "w"),
            dtypes=("floating", "bfloat16"),
            epilogue_dtypes=("float32", "float64", "float16", "bfloat16"),
            **all_steps,
        ),
        declare(epilogue, "beyond", what=Attribute(int, default=0), **all_steps),
    ]
    with registered(declared, "abi-epilogue"):
        yield


def n_steps(symbol, **shapes):
    """Return the number of steps of a symbol compiled for float64 inputs."""
    graph = lower(symbol, shapes, dict.fromkeys(shapes, 1))
    return len(compile_graph(graph, {}).calls)


def run(symbol, dtype="float64", **arrays):
    given = {name: nd.array(array, dtype=dtype) for name, array in arrays.items()}
    return symbol.bind(cpu(), given).forward()[0].asnumpy()


def leaky(y):
    return sym.maximum(y * 0.1, y)


CHAINS = {
    "relu": (lambda y, v, full: sym.relu(y), lambda y, v, full: np.maximum(y, 0)),
    "vector": (lambda y, v, full: sym.broadcast_add(y, v), lambda y, v, full: y + v),
    "full": (lambda y, v, full: full - y, lambda y, v, full: full - y),
    "leaky": (lambda y, v, full: leaky(y), lambda y, v, full: np.maximum(y * 0.1, y)),
    "all": (
        lambda y, v, full: leaky(sym.broadcast_mul(y - 1, v) + full),
        lambda y, v, full: np.maximum(0.1 * ((y - 1) * v + full), (y - 1) * v + full),
    ),
}


@pytest.mark.plugins
@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("operator", ["abi_doubled", "abi_by_hand"])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 3, 40, 50)])
def test_chains(name, operator, shape):
    make, want = CHAINS[name]
    rng = np.random.default_rng(0)
    arrays = {"x": rng.normal(size=shape), "full": rng.normal(size=shape)}
    arrays["v"] = rng.normal(size=(1, 3, 1, 1))
    x, v, full = sym.var("x"), sym.var("v"), sym.var("full")
    symbol = make(getattr(sym, operator)(x), v, full)
    shapes = {k: a.shape for k, a in arrays.items() if k in symbol.list_inputs()}
    assert n_steps(symbol, **shapes) == 1
    found = run(symbol, **{k: arrays[k] for k in shapes})
    expected = want(2 * arrays["x"], arrays["v"], arrays["full"])
    np.testing.assert_allclose(found, expected, 1e-12)


@st.composite
def chains(draw):
    """Draw steps that each combine the previous value with a number, a vector or an array."""
    value = sym.var("x")
    value = getattr(sym, draw(st.sampled_from(["abi_doubled", "abi_by_hand"])))(value)
    before = [value]
    arrays = {name: sym.var(name) for name in ("row", "column", "lanes", "full")}
    for _ in range(draw(st.integers(1, 6))):
        other = draw(st.sampled_from(["number", "row", "column", "lanes", "full", "before"]))
        left, right = value, before[draw(st.integers(0, len(before) - 1))]
        function = draw(st.sampled_from(["add", "sub", "mul", "maximum"]))
        if other == "number":
            value = {
                "add": left + 0.5,
                "sub": draw(st.sampled_from([left - 1.5, 1.5 - left])),
                "mul": left * 0.7,
                "maximum": sym.maximum(left, 0.1),
            }[function]
        else:
            if other != "before":
                right = arrays[other]
            if draw(st.booleans()):
                left, right = right, left
            value = getattr(sym, f"broadcast_{function}")(left, right)
        before.append(value)
    return value


@settings(max_examples=60, deadline=None)
@given(chains())
def test_random_chains_match_single_operators(symbol):
    shapes = {"x": (3, 2, 5, 4), "row": (4,), "column": (2, 1, 1), "full": (3, 2, 5, 4)}
    shapes["lanes"] = (1, 2, 1, 4)
    rng = np.random.default_rng(0)
    arrays = {name: rng.normal(size=shapes[name]) for name in symbol.list_inputs()}
    found = run(symbol, **arrays)
    outputs = [symbol.get_internals()[name] for name in symbol.get_internals().list_outputs()]
    # All values are outputs, so nothing can be fused.
    separate = sym.Group(outputs)
    given = {name: nd.array(array, dtype="float64") for name, array in arrays.items()}
    np.testing.assert_allclose(
        found, separate.bind(cpu(), given).forward()[-1].asnumpy(), 1e-12, 1e-12
    )


@pytest.mark.parametrize("shape", [(1, 2, 3), (5, 4, 1), (3, 200, 64)])
def test_products_apply_epilogues(shape):
    n = 96
    rng = np.random.default_rng(0)
    arrays = {"x": rng.normal(size=shape), "w": rng.normal(size=(shape[2], n))}
    arrays["rows"], arrays["full"] = (
        rng.normal(size=(shape[1], 1)),
        rng.normal(size=(*shape[:2], n)),
    )
    x, w, rows, full = (sym.var(name) for name in arrays)
    symbol = sym.tanh(sym.broadcast_mul(sym.abi_product(x, w), rows) + full)
    assert n_steps(symbol, **{name: array.shape for name, array in arrays.items()}) == 1
    product = arrays["x"] @ arrays["w"] * arrays["rows"] + arrays["full"]
    np.testing.assert_allclose(run(symbol, **arrays), np.tanh(product), 1e-12)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(1, 2, 4), (5, 4, 1), (3, 90, 64)])
def test_products_of_16_bit_floats_apply_epilogues(shape, dtype):
    rng = np.random.default_rng(0)
    sizes = {"x": shape, "w": (shape[2], 96), "rows": (shape[1], 1), "full": (*shape[:2], 96)}
    arrays = {name: rng.integers(-1, 2, size) for name, size in sizes.items()}  # exact sums
    x, w, rows, full = (sym.var(name) for name in arrays)
    symbol = sym.relu(sym.broadcast_mul(sym.abi_product(x, w), rows) + full)
    codes = dict.fromkeys(sizes, nd.zeros(1, dtype=dtype).dtype_code)
    assert len(compile_graph(lower(symbol, sizes, codes), {}).calls) == 1
    product = arrays["x"] @ arrays["w"] * arrays["rows"] + arrays["full"]
    found = run(symbol, dtype, **arrays).astype("float64")
    np.testing.assert_array_equal(found, np.maximum(product, 0))


@pytest.mark.parametrize("what", range(12))
def test_positions_beyond_the_result_are_rejected(what):
    symbol = sym.abi_beyond(sym.var("x"), what=what) + 1
    text = "position and n exceed" if what < 6 else "gemm: a product"
    with pytest.raises(OperatorError, match=f"{text}"):
        run(symbol, "float32", x=np.ones((2, 3)))


def test_calls_without_an_epilogue_have_none():
    np.testing.assert_array_equal(nd.abi_doubled(nd.ones((3, 4))).asnumpy(), np.full((3, 4), 2))
    assert run(sym.abi_doubled(sym.var("x")), x=np.ones((2,))).tolist() == [2, 2]


@pytest.mark.parametrize(
    ("operator", "found"),
    [("doubled", "passed"), ("by_hand", "passed"), ("forgetful", "failed")],
)
def test_the_battery_tries_each_epilogue(epilogue, operator, found):
    cls = declare(epilogue, operator, **FIXED, epilogues=SUPPORTED)
    report = check_op(
        cls, samples=[[(2, 3, 4)], [(50, 7)]], dtypes=["float64"], raises=False, only="/epilogues$"
    )
    (outcome,) = report.outcomes
    assert outcome.status == found, report
    if found == "failed":
        assert "sample (2, 3, 4), dtype float64, the epilogue add 0.75" in outcome.message


def test_the_battery_reports_where_no_epilogue_is_possible():
    class Composed(OperatorProp):
        """Twice `data`."""

        name = "twice_composed"
        epilogues = ("add",)

        def compose(self, F, data):
            return data * 2

    (outcome,) = check_op(Composed, raises=False, only="/epilogues$").outcomes
    assert outcome.status == "failed" and "remove them from the declaration" in outcome.message


@pytest.mark.parametrize(
    ("operator", "found"), [("doubled", "passed"), ("by_hand", "passed"), ("overreads", "failed")]
)
def test_operands_are_read_within_their_bounds(epilogue, operator, found):
    cls = declare(epilogue, operator, **FIXED, epilogues=("add",))
    (outcome,) = check_op(
        cls, samples=[[(2, 3, 512)]], dtypes=["float64"], raises=False, only="/memory bounds$"
    ).outcomes
    assert outcome.status == found, outcome
    if found == "failed":
        assert (
            "after the end of the operand of the step 'add', which has shape (3,)"
            in outcome.message
        )
