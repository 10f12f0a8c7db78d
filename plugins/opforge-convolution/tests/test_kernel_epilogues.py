"""Epilogues of each kernel against separate operators."""

import numpy as np
import pytest
from opforge_convolution.operators import Convolution

from opforge import cpu, nd, sym
from opforge.symbol.compiler.compiling import compile_graph
from opforge.symbol.compiler.layout_assignment import assign_layouts
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological

#: Shape of the data, filters, attributes: one row for each kernel that writes results.
KERNELS = {
    "panels": ((3, 5, 9, 11), 7, {}),
    "panels of full rows": ((1, 40, 8, 16), 20, {"pad": (1, 1)}),
    "Winograd": ((2, 32, 38, 37), 32, {"pad": (1, 1)}),
    "few positions": ((1, 64, 6, 7), 37, {"pad": (1, 1)}),
    "depthwise": ((2, 6, 9, 11), 6, {"num_group": 6}),
    "three dimensions": ((2, 3, 4, 5, 6), 4, {"kernel": (3, 3, 3)}),
}
#: The same for blocked kernels.
BLOCKED = {
    "sums": ((2, 16, 9, 15), 48, {"pad": (1, 1)}),
    "plain results": ((2, 64, 9, 15), 21, {"kernel": (1, 1)}),
    "halves of vectors": ((2, 64, 9, 15), 24, {"kernel": (1, 1)}),
    "half a vector": ((2, 32, 9, 15), 8, {"kernel": (1, 1)}),
    "a single block": ((2, 32, 9, 15), 16, {"pad": (1, 1)}),
    "one tap": ((2, 64, 5, 7), 32, {"kernel": (1, 1)}),
    "image channels": ((1, 3, 21, 22), 32, {"stride": (2, 2)}),
    "groups": ((1, 32, 9, 9), 32, {"num_group": 2, "pad": (1, 1)}),
    "Winograd on blocks": ((1, 32, 38, 21), 48, {"pad": (1, 1)}),
}


def residual(y, scale, other):
    """Scale, shift, add another result and apply relu, as residual networks do."""
    return sym.relu(sym.broadcast_add(sym.broadcast_mul(y, scale), scale) + other)


def nine_steps(y, other):
    """Add and multiply in turn."""
    for number in range(1, 5):
        y = (y + other) * (0.5 + number / 10)
    return sym.relu(y)


CHAINS = {
    "residual": residual,
    "clipped": lambda y, scale, other: sym.maximum(sym.minimum(1 - (other - y), 1), -1),
    "by the host": lambda y, scale, other: sym.tanh(y * 2),
    "more steps than fit": lambda y, scale, other: nine_steps(y, other),
    "an earlier value": lambda y, scale, other: sym.maximum(y * 0.1, y),
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("kernel", [*KERNELS, *BLOCKED])
def test_kernels_apply_epilogues(kernel, chain, monkeypatch):
    shape, filters, attributes = {**KERNELS, **BLOCKED}[kernel]
    if kernel in KERNELS:
        monkeypatch.setattr(Convolution, "blocked_form", None)
    attributes = {"kernel": (3, 3), "num_filter": filters, **attributes}
    channels = shape[1] // attributes.get("num_group", 1)
    rng = np.random.default_rng(0)
    x, w = (
        rng.standard_normal(shape),
        rng.standard_normal((filters, channels, *attributes["kernel"])),
    )
    plain = sym.Convolution(sym.var("x"), sym.var("w"), sym.var("b"), **attributes)
    (_, out, _) = plain.infer_shape(x=shape)
    scale = rng.standard_normal((1, filters) + (1,) * (len(shape) - 2))
    values = {"x": x, "w": w, "b": rng.standard_normal(filters), "scale": scale}
    values["other"] = rng.standard_normal(out[0])
    given = {name: nd.array(value, dtype="float32") for name, value in values.items()}

    def run(symbol):
        used = {name: given[name] for name in symbol.list_arguments()}
        return symbol.bind(cpu(), used, grad_req="null").forward()[0]

    def calls(symbol):
        shapes = {name: values[name].shape for name in symbol.list_arguments()}
        return len(compile_graph(lower(symbol, shapes, dict.fromkeys(shapes, 0)), {}).calls)

    chained = CHAINS[chain](plain, sym.var("scale"), sym.var("other"))
    # For blocked arrays, the result and the addend are converted.
    assert calls(plain) == 1 or kernel in BLOCKED
    assert calls(chained) - calls(plain) <= (2 if kernel in BLOCKED else 0)
    given["y"] = run(plain)
    alone = run(CHAINS[chain](sym.var("y"), sym.var("scale"), sym.var("other"))).asnumpy()
    got = run(chained).asnumpy()
    np.testing.assert_allclose(got, alone, rtol=2e-6, atol=2e-6 * abs(alone).max())


#: Kernels of bfloat16: rows of results in one piece and in several, and groups.
BFLOAT16 = {
    "whole rows": ((1, 20, 8, 32), 20, {"pad": (1, 1)}),
    "rows across images": ((3, 17, 7, 7), 13, {"pad": (1, 1)}),
    "one tap": ((2, 33, 9, 9), 7, {"kernel": (1, 1)}),
    "groups": ((2, 40, 9, 8), 12, {"num_group": 2, "stride": (2, 2)}),
    "converted": ((2, 6, 9, 11), 6, {"num_group": 6}),
    **BLOCKED,
}


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("kernel", BFLOAT16)
def test_kernels_of_bfloat16_apply_epilogues(kernel, chain):
    shape, filters, attributes = BFLOAT16[kernel]
    attributes = {"kernel": (3, 3), "num_filter": filters, **attributes}
    rng = np.random.default_rng(0)
    group = shape[1] // attributes.get("num_group", 1)
    plain = sym.Convolution(sym.var("x"), sym.var("w"), sym.var("b"), **attributes)
    (_, out, _) = plain.infer_shape(x=shape)
    sizes = {"x": shape, "w": (filters, group, *attributes["kernel"]), "b": (filters,)}
    sizes |= {"scale": (1, filters, 1, 1), "other": out[0]}
    chained = CHAINS[chain](plain, sym.var("scale"), sym.var("other"))
    # The sums are integers that bfloat16 represents, wherever they are rounded.
    narrow = {
        name: nd.array(rng.integers(-1, 2, sizes[name]), dtype="bfloat16")
        for name in chained.list_arguments()
    }
    wide = {name: array.astype("float32") for name, array in narrow.items()}
    made = lower(
        chained,
        {name: sizes[name] for name in narrow},
        dict.fromkeys(narrow, narrow["x"].dtype_code),
    )
    # For blocked arrays, all inputs and the result are converted.
    assert kernel in BLOCKED or len(compile_graph(made, {}).calls) == 1
    found, want = (
        chained.bind(cpu(), arrays, grad_req="null").forward()[0].astype("float32").asnumpy()
        for arrays in (narrow, wide)
    )
    # Winograd's convolution of float32 is not exact, and blocked results of many steps are rounded
    # twice.
    error = 2**-7 if kernel in BLOCKED and chain == "more steps than fit" else 1e-4
    np.testing.assert_allclose(found, want, rtol=1.001 * 2**-8, atol=error * abs(want).max())


@pytest.mark.parametrize("chain", ["residual", "clipped"])
def test_depthwise_on_blocks_applies_epilogues(chain):
    """The blocks are those of a convolution before it."""
    rng = np.random.default_rng(0)
    shapes = {"x": (2, 32, 9, 21), "v": (32, 32, 3, 3), "w": (32, 1, 3, 3)}
    shapes |= {"scale": (1, 32, 1, 1), "other": (2, 32, 9, 21)}
    values = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    values["v"] /= 17  # the root of the number of terms
    sliding = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 32, "no_bias": True}
    before = sym.Convolution(sym.var("x"), sym.var("v"), **sliding)
    slides = sym.Convolution(before, sym.var("w"), num_group=32, **sliding)
    chained = CHAINS[chain](slides, sym.var("scale"), sym.var("other"))
    shapes = {name: shapes[name] for name in chained.list_arguments()}
    graph = assign_layouts(lower(chained, shapes, {}), {})
    operations = [node.operation for node in topological(graph.outputs) if node.operation]
    forms = [one.bound.prop.blocked for one in operations if one.name == "Convolution"]
    assert forms[0] and forms[1] == "depthwise"
    results = []
    for dtype in ("float32", "float64"):  # blocked kernels are of float32
        given = {name: nd.array(values[name], dtype=dtype) for name in shapes}
        results.append(chained.bind(cpu(), given, grad_req="null").forward()[0].asnumpy())
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-5 * abs(results[1]).max())


@pytest.mark.parametrize("chain", ["residual", "clipped"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_results_that_are_not_finite_are_finished_as_alone(number, chain):
    """A chain whose last step is relu, and one that clips."""
    rng = np.random.default_rng(0)
    shape, filters, attributes = BLOCKED["one tap"]
    x = rng.standard_normal(shape)
    x[1, 3, 2, 4] = number
    given = {"x": x, "w": rng.standard_normal((filters, shape[1], 1, 1))}
    given |= {"b": rng.standard_normal(filters), "scale": rng.standard_normal((1, filters, 1, 1))}
    given["other"] = rng.standard_normal((shape[0], filters, *shape[2:]))
    given = {name: nd.array(value, dtype="float32") for name, value in given.items()}
    plain = sym.Convolution(
        *map(sym.var, ("x", "w", "b")), num_filter=filters, no_bias=False, **attributes
    )

    def run(symbol):
        used = {name: given[name] for name in symbol.list_arguments()}
        return symbol.bind(cpu(), used, grad_req="null").forward()[0]

    got = run(CHAINS[chain](plain, sym.var("scale"), sym.var("other"))).asnumpy()
    given["y"] = run(plain)
    want = run(CHAINS[chain](sym.var("y"), sym.var("scale"), sym.var("other"))).asnumpy()
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
    unaffected = np.ones(want.shape, dtype=bool)
    unaffected[1, :, 2, 4] = False
    assert np.isfinite(want[unaffected]).all()
