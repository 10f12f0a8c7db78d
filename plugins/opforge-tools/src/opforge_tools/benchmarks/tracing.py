"""Time of a hybridized block's first call: tracing, inference, planning, compilation."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from opforge import autograd, gluon
from opforge import ndarray as nd

from .opforge_networks import perceptron_block

__all__ = ["LENGTHS", "Row", "measure"]

Row = dict[str, Any]
#: Lengths of the traced operator chains.
LENGTHS = (10, 100, 1000, 4000)


class _Chain(gluon.HybridBlock):
    """Block with a chain of operators, half of which also read the input."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self._length = length

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Call the operators."""
        y = x
        for _ in range(self._length // 2):
            y = F.tanh(y) + x
        return y


def measure(lengths: Sequence[int] = LENGTHS, repeats: int = 5) -> list[Row]:
    """Time the first call of new blocks minus the second, each the minimum of `repeats`.

    Parameters
    ----------
    lengths : sequence of int
        Number of operators in each chain.
    repeats : int

    Returns
    -------
    list of dict
        ``"name"``, ``"operators"``, ``"seconds"`` without a gradient and ``"recorded_seconds"``.
    """
    x = nd.ones((64, 784))
    x.attach_grad()
    rows = [_row("MLP 784-128-64-10", 5, perceptron_block, x, repeats)]
    small = nd.ones((4, 4))
    small.attach_grad()
    for length in lengths:
        name = f"chain of {length:,} elementwise operators"
        rows.append(_row(name, length, partial(_Chain, length), small, repeats))
    return rows


def _row(name: str, operators: int, make: Callable[[], Any], x: Any, repeats: int) -> Row:
    plain, recorded = (_seconds(make, x, is_recorded, repeats) for is_recorded in (False, True))
    return {
        "name": name,
        "operators": operators,
        "seconds": plain,
        "recorded_seconds": recorded,
    }


def _seconds(make: Callable[[], Any], x: Any, is_recorded: bool, repeats: int) -> float:
    pairs = [_first_and_second(make(), x, is_recorded) for _ in range(repeats)]
    first, second = (min(times) for times in zip(*pairs, strict=True))
    return first - second


def _first_and_second(block: Any, x: Any, is_recorded: bool) -> list[float]:
    block(x)  # deferred parameters are initialized here
    block.hybridize(static_alloc=True, static_shape=True)
    return [_time_call(block, x, is_recorded) for _ in range(2)]


def _time_call(block: Any, x: Any, is_recorded: bool) -> float:
    began = time.perf_counter()
    with autograd.record() if is_recorded else autograd.pause():
        block(x).wait_to_read()
    return time.perf_counter() - began
