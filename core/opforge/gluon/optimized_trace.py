"""Optimization of a traced block by the subgraph backends that `hybridize` names."""

import warnings
from typing import Any

from ..base.context import Context
from ..ndarray import NDArray
from ..symbol.interpreter import has_shapes_from_values
from ..symbol.partitioning.optimizing import Given, optimize
from .parameter import Parameter
from .tracing import Trace

__all__ = ["optimize_trace", "warn_of_imperative_run"]


def optimize_trace(found: Trace, block: Any, ctx: Context, added: dict[str, Parameter]) -> None:
    """Replace what the backends of `block` support in the graph of a trace.

    Parameters
    ----------
    found : Trace
        Its parameters have values.
    block : HybridBlock
    ctx : Context
        Context of the values that the backends read.
    added : dict of str to Parameter
        Parameters that backends added to earlier traces of the block, which keep their values, and
        to which new ones are added.
    """
    symbol = found.symbol
    contexts = [ctx]
    values: dict[str, NDArray] = {}
    for name, parameter in found.parameters.items():
        values[name] = parameter.data(ctx)
        contexts = parameter.list_ctx()
    for backend, options in block._all_backends:
        states = symbol.list_auxiliary_states()
        args = {name: value for name, value in values.items() if name not in states}
        aux = {name: values[name] for name in states if name in values}
        symbol, new = optimize(symbol, backend, options, Given(args, aux, {}, {}))
        values |= new
    if has_shapes_from_values(symbol):
        warn_of_imperative_run(block)
        return
    used = symbol.list_inputs()
    states = symbol.list_auxiliary_states()
    for name in used:
        if name in found.parameters or name not in values:
            continue
        known = added.get(name)
        if known is None or known.shape != values[name].shape:
            added[name] = _parameter(name, values[name], name in states, contexts)
        found.parameters[name] = added[name]
    found.symbol = symbol
    found.parameters = {name: found.parameters[name] for name in used if name in found.parameters}


def warn_of_imperative_run(block: Any) -> None:
    """Warn that the backends of a block have no effect."""
    names = ", ".join(str(backend) for backend, _ in block._all_backends)
    warnings.warn(
        f"{block.name} is not optimized for {names}: it runs imperatively, because shapes in its "
        "graph depend on values, or its code reads sizes that are unknown in a graph",
        stacklevel=9,
    )


class _AddedParameter(Parameter):
    """Parameter that a backend added: it follows the parameters of the block to other contexts."""

    def data(self, ctx: Context | None = None) -> NDArray:
        """Return the value on a context, to which it is copied if necessary."""
        if ctx is not None and ctx not in self.list_ctx():
            self.reset_ctx([*self.list_ctx(), ctx])
        return super().data(ctx)


def _parameter(name: str, value: NDArray, is_state: bool, contexts: list[Context]) -> Parameter:
    """Return the parameter of an array that a backend added."""
    request = "null" if is_state else "write"
    made = _AddedParameter(name, grad_req=request, shape=value.shape, dtype=value.dtype)
    made.initialize(init="zeros", ctx=contexts)
    made.set_data(value)
    return made
