"""Timing of symbols, under MXNet's name."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.context import Context
from opforge.symbol import Symbol

from ._devices import default_context

__all__ = ["check_speed"]


def check_speed(
    sym: Symbol,
    location: Mapping[str, Any] | None = None,
    ctx: Context | None = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: tuple[int, ...],
) -> float:
    """Return the mean time of a pass of a symbol in seconds, over `N` passes after a warm-up.

    Parameters
    ----------
    sym : Symbol
    location : dict of str to array, optional
        Arguments; None: random arrays with shapes inferred from `kwargs`.
    ctx : Context, optional
    N : int, default 20
        Number of timed passes.
    grad_req : {"write", "add", "null"}, or a list or dict of them, default "write"
    typ : {"whole", "forward"}
        Forward in training mode and backward, or forward in prediction mode.
    **kwargs : tuple of int
        Shapes by argument name.

    Raises
    ------
    ValueError
        `typ` is neither of these.
    """
    if typ not in ("whole", "forward"):
        raise ValueError(f"check_speed: typ is {typ!r}; expected 'whole' or 'forward'")
    shapes = kwargs if location is None else {name: v.shape for name, v in location.items()}
    executor = sym.simple_bind(ctx or default_context(), grad_req or "write", **shapes)
    for name, array in executor.arg_dict.items():
        array[:] = np.random.normal(size=array.shape) if location is None else location[name]
    one_pass = _training(executor) if typ == "whole" else lambda: executor.forward(is_train=False)
    one_pass()
    nd.waitall()
    start = time.perf_counter()
    for _ in range(N):
        one_pass()
    nd.waitall()
    return (time.perf_counter() - start) / N


def _training(executor: Any) -> Callable[[], None]:
    def forward_backward() -> None:
        executor.forward(is_train=True)
        executor.backward(out_grads=executor.outputs)

    return forward_backward
