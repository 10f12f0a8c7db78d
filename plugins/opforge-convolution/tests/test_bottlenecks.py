"""Networks whose values have any number of channels between convolutions: each against float64."""

import numpy as np
import pytest
from opforge_convolution.operators import LIBRARY

from opforge import cpu, nd, sym
from opforge.symbol.compiler.layout_assignment import assign_layouts
from opforge.symbol.compiler.lowering import lower
from opforge.symbol.node import topological

L = LIBRARY.LANES
WIDE = 3 * L  # channels around the bottlenecks


def bottlenecks(channels):
    """Return two projections to a few channels, the second with a shortcut, and their inputs."""

    def convolution(y, number, filters, **attributes):
        attributes = {"kernel": (1, 1), "no_bias": True, "num_filter": filters, **attributes}
        y = sym.Convolution(y, sym.var(f"w{number}"), **attributes)
        factor, shift = (sym.var(f"{name}{number}") for name in ("factor", "shift"))
        return sym.broadcast_add(sym.broadcast_mul(y, factor), shift)

    wide = sym.clip(convolution(sym.var("x"), 0, WIDE, kernel=(3, 3), pad=(1, 1)), 0, 6)
    first = convolution(wide, 1, channels)
    wide = sym.clip(convolution(first, 2, WIDE), 0, 6)
    second = convolution(wide, 3, channels) + first
    pooled = sym.Pooling(second, kernel=(2, 2), stride=(2, 2), pool_type="max")
    return sym.Group([convolution(pooled, 4, WIDE), second, first])


def numbers(channels, images):
    """Return inputs of `bottlenecks` by name."""
    rng = np.random.default_rng(channels)
    made = {"x": rng.standard_normal((images, 3, 10, 13))}
    sizes = [(WIDE, 3, 3, 3), (channels, WIDE, 1, 1), (WIDE, channels, 1, 1)]
    for number, size in enumerate([*sizes, *sizes[1:]]):
        made[f"w{number}"] = rng.standard_normal(size) / np.sqrt(np.prod(size[1:]))
        for name in ("factor", "shift"):
            made[f"{name}{number}"] = rng.standard_normal((1, size[0], 1, 1))
    return made


def run(symbol, values, dtype):
    given = {name: nd.array(value, dtype=dtype) for name, value in values.items()}
    return [y.asnumpy() for y in symbol.bind(cpu(), given, grad_req="null").forward()]


@pytest.mark.parametrize("images", [1, 3])
@pytest.mark.parametrize("channels", range(1, 41))
def test_any_number_of_channels_agrees_with_float64(channels, images):
    symbol, values = bottlenecks(channels), numbers(channels, images)
    results = (run(symbol, values, dtype) for dtype in ("float32", "float64"))
    for got, want in zip(*results, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * abs(want).max())


@pytest.mark.skipif(L < 16, reason="halves of short vectors are not worth blocks")
def test_results_that_do_not_fill_vectors_stay_in_halves():
    """They are converted for the outputs alone."""
    symbol = bottlenecks(3 * L // 2)
    shapes = {name: value.shape for name, value in numbers(3 * L // 2, 1).items()}
    graph = assign_layouts(lower(symbol[0], shapes, {}, predicting=True), {})
    made = [node.operation for node in topological(graph.outputs) if node.operation]
    forms = [one.bound.prop.blocked for one in made if one.name == "Convolution"]
    assert forms == ["sums", "sums_to_halves", "sums", "sums_to_halves", "sums"]
    assert [one.name for one in made].count("_unblock") == 1


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("channels", [L // 2, L - 1, L, 3 * L // 2, 2 * L + 1])
def test_an_outlier_reaches_only_its_channel_or_neighbors(channels, number):
    symbol, values = bottlenecks(channels), numbers(channels, 2)
    _, second, first = run(symbol, values, "float32")
    changed = {**values, "shift1": values["shift1"].copy()}
    changed["shift1"][0, channels - 1] = number
    got = run(symbol, changed, "float32")[2]
    np.testing.assert_array_equal(got[:, :-1], first[:, :-1])
    assert not np.isfinite(got[:, -1]).any()
    changed = {**values, "x": values["x"].copy()}
    changed["x"][1, 2, 4, 5] = number
    got = run(symbol, changed, "float32")[1]
    reached = np.zeros(second.shape, dtype=bool)
    reached[1, :, 3:6, 4:7] = True
    np.testing.assert_array_equal(got[~reached], second[~reached])
