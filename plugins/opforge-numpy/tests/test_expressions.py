"""Random expressions: values against NumPy, gradients against finite differences, in float64.

An expression is a list of steps. Each calls a function of `np` with results of earlier steps, so
the same steps run with the functions of NumPy, which have the same names and arguments.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from opforge_numpy.arrays import adopt

from opforge import autograd, nd
from opforge import np as mxnp
from opforge.base.numpy_semantics import np_array, np_shape

#: Functions without kinks, whose values stay small, and all others.
SMOOTH = ["sin", "cos", "tanh", "arctan", "arcsinh", "square", "negative"]
ROUGH = ["abs", "sign", "floor", "ceil", "trunc", "rint", "cbrt", "isnan", "isfinite", "signbit"]
SMOOTH_PAIRS = ["add", "subtract", "multiply"]
ROUGH_PAIRS = ["maximum", "minimum", "fmax", "fmin", "greater", "less_equal", "not_equal", "hypot"]
ROUGH_PAIRS += ["mod", "floor_divide", "fmod", "logical_and", "copysign"]
SMOOTH_REDUCTIONS = ["sum", "mean", "var"]
ROUGH_REDUCTIONS = ["max", "min", "prod", "any", "all", "std", "argmax", "argmin"]
MOVES = [
    "transpose",
    "ravel",
    "expand_dims",
    "flip",
    "roll",
    "squeeze",
    "cumsum",
    "getitem",
    "tile",
]
#: Limits of results, so that expressions stay small and differences accurate.
MOST_ELEMENTS = 500
LARGEST = 50.0


class Step(NamedTuple):
    """A call: name of the function, positions of its arrays, other arguments."""

    name: str
    arrays: tuple[int, ...]
    arguments: dict[str, Any]

    def run(self, module: Any, values: Sequence[Any]) -> Any:
        """Return the result with the functions of a module, as float64."""
        operands = [values[at] for at in self.arrays]
        if self.name == "getitem":
            result = operands[0][self.arguments["key"]]
        elif self.name in ("concatenate", "stack"):
            result = getattr(module, self.name)(operands, **self.arguments)
        else:
            result = getattr(module, self.name)(*operands, **self.arguments)
        return result.astype("float64")


Expression = tuple[list[Any], list[Step]]


def evaluate(steps: Sequence[Step], module: Any, inputs: Sequence[Any]) -> list[Any]:
    """Return the inputs and the result of each step."""
    values = [*inputs]
    for step in steps:
        values.append(step.run(module, values))
    return values


@st.composite
def moves(draw: Any, at: int, shape: tuple[int, ...]) -> Step:
    """Draw a step that moves the elements of an array, or repeats or adds them."""
    ndim = len(shape)
    name = draw(st.sampled_from(MOVES))
    arguments: dict[str, Any] = {}
    if name == "transpose":
        arguments["axes"] = tuple(draw(st.permutations(range(ndim))))
    elif name == "expand_dims":
        arguments["axis"] = draw(st.integers(-ndim - 1, ndim))
    elif name == "roll":
        arguments["shift"] = draw(st.integers(-3, 3))
    elif name == "tile":
        arguments["reps"] = draw(st.integers(0, 2))
    elif name == "getitem":
        arguments["key"] = draw(hnp.basic_indices(shape, allow_newaxis=True))
    elif name == "cumsum" and ndim:
        arguments["axis"] = draw(st.integers(-ndim, ndim - 1))
    return Step(name, (at,), arguments)


@st.composite
def reductions(draw: Any, at: int, shape: tuple[int, ...], smooth: bool) -> Step:
    """Draw a reduction of an array that has elements."""
    ndim = len(shape)
    name = draw(st.sampled_from(SMOOTH_REDUCTIONS + ([] if smooth else ROUGH_REDUCTIONS)))
    axis = None
    if ndim and name.startswith("arg"):
        axis = draw(st.none() | st.integers(-ndim, ndim - 1))
    elif ndim:
        axis = draw(st.none() | st.sets(st.integers(0, ndim - 1)).map(tuple))
    return Step(name, (at,), {"axis": axis, "keepdims": draw(st.booleans())})


@st.composite
def steps_after(draw: Any, values: Sequence[Any], smooth: bool) -> Step:
    """Draw a step whose arguments fit earlier results."""
    at = draw(st.integers(0, len(values) - 1))
    shape = values[at].shape
    kinds = ["unary", "binary", "move"]
    kinds += ["reduction"] if values[at].size else []
    kinds += ["join"] if shape else []
    kind = draw(st.sampled_from(kinds))
    if kind == "unary":
        return Step(draw(st.sampled_from(SMOOTH + ([] if smooth else ROUGH))), (at,), {})
    if kind == "move":
        return draw(moves(at, shape))
    if kind == "reduction":
        return draw(reductions(at, shape, smooth))
    if kind == "join":
        alike = [i for i, value in enumerate(values) if value.shape == shape]
        pair = (at, draw(st.sampled_from(alike)))
        axis = draw(st.integers(-len(shape), len(shape) - 1))
        return Step(draw(st.sampled_from(["concatenate", "stack"])), pair, {"axis": axis})
    fitting = [i for i, value in enumerate(values) if broadcast(shape, value.shape)]
    name = draw(st.sampled_from(SMOOTH_PAIRS + ([] if smooth else ROUGH_PAIRS)))
    return Step(name, (at, draw(st.sampled_from(fitting))), {})


def broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Return whether two shapes broadcast."""
    try:
        np.broadcast_shapes(left, right)
    except ValueError:
        return False
    return True


@st.composite
def expressions(draw: Any, smooth: bool) -> Expression:
    """Draw inputs, and steps that compute with them and with earlier results."""
    least = 1 if smooth else 0
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_side=least, max_dims=3))
    random = np.random.default_rng(draw(st.integers(0, 2**31)))
    inputs = [np.asarray(random.uniform(-2, 2, shape)) for shape in shapes.input_shapes]
    values, steps = [*inputs], []
    for _ in range(draw(st.integers(1, 6))):
        step = draw(steps_after(values, smooth))
        with np.errstate(all="ignore"):
            result = np.asarray(step.run(np, values))
        is_small = np.all(np.isfinite(result)) and np.abs(result).max(initial=0) < LARGEST
        if result.size <= MOST_ELEMENTS and (is_small or not smooth):
            steps.append(step)
            values.append(result)
    return inputs, steps


def array(values: Any) -> Any:
    """Return an array of np with the elements of one of NumPy."""
    return adopt(nd.array(values, dtype="float64"))


@settings(max_examples=300)
@given(expressions(smooth=False))
def test_values_are_those_of_numpy(expression: Expression) -> None:
    inputs, steps = expression
    with np_shape(), np_array(), np.errstate(all="ignore"):
        found = evaluate(steps, mxnp, list(map(array, inputs)))
        expected = evaluate(steps, np, inputs)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=1e-9, atol=1e-9)


@settings(max_examples=200)
@given(expressions(smooth=True))
def test_gradients_are_those_of_finite_differences(expression: Expression) -> None:
    inputs, steps = expression
    random = np.random.default_rng(0)
    directions = [random.normal(size=one.shape) for one in inputs]
    with np_shape(), np_array():
        arrays = list(map(array, inputs))
        for one in arrays:
            one.attach_grad()
        with autograd.record():
            result = evaluate(steps, mxnp, arrays)[-1] * 1.0
        weights = random.normal(size=result.shape)
        result.backward(array(weights))
    slope = sum(
        float((one.grad.asnumpy() * way).sum()) for one, way in zip(arrays, directions, strict=True)
    )
    width = 1e-5
    ends = []
    for sign in (1, -1):
        moved = [one + sign * width * way for one, way in zip(inputs, directions, strict=True)]
        ends.append(float((evaluate(steps, np, moved)[-1] * weights).sum()))
    difference = (ends[0] - ends[1]) / (2 * width)
    np.testing.assert_allclose(slope, difference, rtol=1e-5, atol=1e-5)
