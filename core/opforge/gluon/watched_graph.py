"""`WatchedGraph`: the compiled graphs of a block that show what each operator gives.

Results inside of a compiled graph share memory; so they are computed again, one by one, from the
same inputs and on copies of the auxiliary states.
"""

from collections.abc import Callable
from typing import Any

from .. import autograd
from .. import ndarray as nd
from ..base.context import Context
from ..base.nesting import flatten
from ..ndarray import NDArray
from ..symbol import Symbol
from ..symbol.node import Type
from ..symbol.watching import hooked_values
from .cached_graph import CachedGraph
from .tracing import trace

__all__ = ["OperatorHook", "WatchedGraph"]

OperatorHook = Callable[[bytes, bytes, NDArray], Any]


class WatchedGraph(CachedGraph):
    """The graphs of one block, and what is called with their operators' results.

    Parameters
    ----------
    hook : callable
        ``hook(name, operator, array)``; both names are bytes, as MXNet gives them.
    monitor_all : bool
        Whether inputs are shown as well.
    """

    def __init__(self, hook: OperatorHook, monitor_all: bool) -> None:
        super().__init__()
        self._hook = hook
        self._monitor_all = monitor_all

    def __call__(self, block: Any, ctx: Context, args: tuple[Any, ...]) -> Any:
        """Return what `block` gives for `args`; then show what its operators gave."""
        result = super().__call__(block, ctx, args)
        is_train, is_recorded = autograd.is_training(), autograd.is_recording()
        with autograd.pause(train_mode=is_train):
            self._show(block, ctx, args, is_train, is_recorded)
        return result

    def _show(
        self, block: Any, ctx: Context, args: tuple[Any, ...], is_train: bool, is_recorded: bool
    ) -> None:
        arrays: list[Any] = []
        structure = flatten(args, NDArray, arrays)
        found = trace(block, structure, [Type(a.shape, a.dtype_code) for a in arrays])
        names = ["data"] if len(arrays) == 1 else [f"data{at}" for at in range(len(arrays))]
        values = dict(zip(names, arrays, strict=True))
        values |= {name: param.data(ctx) for name, param in found.parameters.items()}
        shown = list(hooked_values(found.symbol.nodes(), self._monitor_all, is_recorded))
        every = Symbol([edge for _, _, edge in shown])
        states = {name: values[name].copy() for name in every.list_auxiliary_states()}
        given = {name: values[name] for name in every.list_arguments()}
        outputs = every.bind(ctx, given, aux_states=states).forward(is_train=is_train)
        for (name, operator, _), array in zip(shown, outputs, strict=True):
            self._hook(name.encode(), operator.encode(), array)
        nd.waitall()
