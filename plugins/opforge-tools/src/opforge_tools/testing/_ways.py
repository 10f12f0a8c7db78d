"""Check that operators give the same results on all execution paths."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge.ndarray import NDArray

from ._closeness import assert_allclose
from ._running import (
    Problem,
    Run,
    hybridized,
    imperative,
    is_graphable,
    loaded,
    symbolic,
)

__all__ = ["check_ways", "compare_runs"]

#: Execution paths to compare with the imperative run.
WAYS: Mapping[str, Callable[[Problem], Run]] = {
    "symbol": symbolic,
    "hybridized": hybridized,
    "saved and loaded": loaded,
}

_MODES = ("prediction", "training")


def check_ways(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    states: Sequence[Any] = (),
    wanted: Sequence[int] | None = None,
    modes: Sequence[bool] = (False, True),
    rtol: float = 0.0,
    atol: float = 0.0,
    seed: int = 0,
) -> None:
    """Compare operators on arrays with the same operators bound, hybridized, saved and loaded.

    Outputs, gradients and the auxiliary states after the call are compared.

    Parameters
    ----------
    function : callable
        ``function(F, *inputs, *states)`` calls operators of `F`, which is `opforge.nd` or
        `opforge.sym`; it returns one result or a list.
    inputs : sequence of array_like or NDArray
        Other values become float64 arrays. Graphs do not support arrays without elements or axes,
        neither as inputs nor as results, because 0 and () mark unknown shapes; then only the block
        is compared.
    states : sequence of array_like or NDArray
        Auxiliary states, which the operators may change.
    wanted : sequence of int, optional
        Inputs whose gradient is compared; None: all of a floating type.
    modes : sequence of bool, default (False, True)
        Whether operators run in training mode.
    rtol, atol : float, default 0
        Accepted errors; 0 compares bitwise. Graphs may sum in another order.
    seed : int, default 0
        Seed of the head gradients and of `opforge.random`, which each run resets.

    Raises
    ------
    AssertionError
        Two paths differ; the message names the path and the output, gradient or state.

    Examples
    --------
    >>> check_ways(lambda F, x, w: F.tanh(F.dot(x, w)), [[[1.0, 2.0]], [[3.0], [4.0]]])
    """
    values = [_numpy(item) for item in (*inputs, *states)]
    if wanted is None:
        wanted = [at for at in range(len(inputs)) if values[at].dtype.kind == "f"]
    for train in modes:
        problem = Problem(function, values, len(states), wanted, train, seed)
        expected = imperative(problem)
        graphable = is_graphable(problem, expected)
        for name, way in WAYS.items():
            if graphable:
                have = way(problem)
            elif way is hybridized:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # that it runs imperatively
                    have = way(problem)
            else:
                continue
            compare_runs(have, expected, f"{name}, {_MODES[train]}", rtol, atol)


def _numpy(item: Any) -> Any:
    if isinstance(item, NDArray):
        return item.asnumpy()
    return item if isinstance(item, np.ndarray) else np.asarray(item, dtype="float64")


def compare_runs(have: Run, want: Run, where: str, rtol: float, atol: float) -> None:
    """Raise AssertionError if outputs, states or gradients of two runs differ."""
    groups = [("output", have.outputs, want.outputs), ("state", have.states, want.states)]
    if want.grads is not None:
        if have.grads is None:
            raise AssertionError(f"{where}: no gradients")
        groups.append(("gradient", have.grads, want.grads))
    for what, some, others in groups:
        if len(some) != len(others):
            raise AssertionError(f"{where}: {len(some)} {what}s, expected {len(others)}")
        for position, (a, b) in enumerate(zip(some, others, strict=True)):
            text = f"{where}: {what} {position}"
            if a.shape != b.shape:
                raise AssertionError(f"{text} has shape {a.shape}, expected {b.shape}")
            if a.dtype != b.dtype:
                raise AssertionError(f"{text} has dtype {a.dtype}, expected {b.dtype}")
            assert_allclose(a, b, rtol, atol, where=text)
