"""`MonitoredGraph`: compiled graphs of a block that pass operators' results to a hook.

Results inside a compiled graph share memory, so they are computed again, one by one, from the same
inputs and with copies of the auxiliary states.
"""

from collections.abc import Callable
from typing import Any

from .. import autograd
from .. import ndarray as nd
from ..base.context import Context
from ..ndarray import NDArray
from ..symbol import Symbol
from ..symbol.monitored_values import hooked_values
from ..symbol.node import Type
from .cached_graph import CachedGraph
from .flat_inputs import FlatInputs
from .tracing import data_names, trace

__all__ = ["MonitoredGraph", "OperatorHook"]

OperatorHook = Callable[[bytes, bytes, NDArray], Any]


class MonitoredGraph(CachedGraph):
    """Graphs of one block, and the hook for their operators' results.

    Parameters
    ----------
    hook : callable
        ``hook(name, operator, array)``; both names are bytes, as MXNet gives them.
    monitor_all : bool
        Whether to include the inputs of operators.
    """

    def __init__(self, hook: OperatorHook, monitor_all: bool) -> None:
        super().__init__()
        self._hook = hook
        self._monitor_all = monitor_all

    def __call__(self, block: Any, ctx: Context, given: FlatInputs) -> Any:
        """Return the results of `block`, after passing those of its operators to the hook."""
        result = super().__call__(block, ctx, given)
        is_train, is_recorded = autograd.is_training(), autograd.is_recording()
        with autograd.pause(train_mode=is_train):
            self._show(block, ctx, given, is_train, is_recorded)
        return result

    def _show(
        self, block: Any, ctx: Context, given: FlatInputs, is_train: bool, is_recorded: bool
    ) -> None:
        arrays = given.arrays
        found = trace(block, given.structure, [Type(a.shape, a.dtype_code) for a in arrays])
        if found.unknown is not None:  # the block runs imperatively, and has no graph
            return
        self._optimize(block, found, ctx)
        names = data_names(len(arrays))
        values = dict(zip(names, arrays, strict=True))
        values |= {name: param.data(ctx) for name, param in found.parameters.items()}
        shown = list(hooked_values(found.symbol.nodes(), self._monitor_all, is_recorded))
        every = Symbol([edge for _, _, edge in shown])
        states = {name: values[name].copy() for name in every.list_auxiliary_states()}
        bound = {name: values[name] for name in every.list_arguments()}
        outputs = every.bind(ctx, bound, aux_states=states).forward(is_train=is_train)
        for (name, operator, _), array in zip(shown, outputs, strict=True):
            self._hook(name.encode(), operator.encode(), array)
        nd.waitall()
