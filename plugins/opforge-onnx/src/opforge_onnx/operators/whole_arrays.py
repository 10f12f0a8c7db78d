"""Rules for operators of the core with one result for a whole array: finite, close, its square."""

from functools import reduce
from typing import Any

import numpy as np

from ..exporting.call import Call
from ..exporting.value import Value

__all__ = ["all_close", "all_finite", "sums_of_squares"]


def all_finite(prop: Any, call: Call) -> str:
    """Translate all_finite and multi_all_finite."""
    call.require(
        prop.init_output, "the array passed as out has no equivalent", "leave out init_output"
    )
    found = [_all(call, x, _is_finite(call, x)) for x in call.inputs]
    return call.cast(reduce(lambda a, b: call.node("And", a, b), found), call.outputs[0].dtype)


def all_close(prop: Any, call: Call) -> str:
    """Translate allclose; infinite numbers are close to themselves only."""
    a, b = call.inputs
    distance = call.node("Abs", call.node("Sub", a, b))
    relative = call.node("Mul", call.node("Abs", b), call.constant(prop.rtol))
    limit = call.node("Add", relative, call.constant(prop.atol))
    is_within = call.node("And", call.node("LessOrEqual", distance, limit), _is_finite(call, b))
    is_close = call.node("Or", is_within, call.node("Equal", a, b))
    if prop.equal_nan:
        are_nan = call.node("And", call.node("IsNaN", a), call.node("IsNaN", b))
        is_close = call.node("Or", is_close, are_nan)
    return call.cast(_all(call, a, is_close), call.outputs[0].dtype)


def sums_of_squares(prop: Any, call: Call) -> str:
    """Translate multi_sum_sq."""
    sums = [
        call.cast(_of_all(call, "ReduceSumSquare", x, x), call.outputs[0].dtype)
        for x in call.inputs
    ]
    return str(call.node("Concat", *sums, axis=0))


def _is_finite(call: Call, x: Value) -> str:
    wrong = call.node("Or", call.node("IsNaN", x), call.node("IsInf", x))
    return str(call.node("Not", wrong))


def _all(call: Call, x: Value, conditions: str) -> str:
    """Return whether all conditions, one for each element of an array, hold."""
    return call.cast(_of_all(call, "ReduceMin", x, call.cast(conditions, np.int32)), np.bool_)


def _of_all(call: Call, kind: str, x: Value, values: Any) -> str:
    """Return the reduction of values of the shape of an array, as a vector of one element."""
    found = call.reduce(kind, values, *range(len(x.shape)), keepdims=False)
    return str(call.node("Unsqueeze", found, call.integers(0)))
