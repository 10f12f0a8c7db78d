"""`Allocation`: arrays of a new executor, zero-filled or shared with another executor."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base.context import Context
from ..base.errors import OpforgeError, ShapeError
from .bound_arrays import zeros
from .executor import Executor
from .inference.propagation import Inference
from .node import Node
from .variable_attributes import declared_storage

__all__ = ["Allocation"]


class Allocation:
    """Allocates the arrays of an executor, or takes those that it shares with another one.

    Parameters
    ----------
    device : Context
        Context of arrays whose variable is in no group.
    group2ctx : dict of str to Context
        Context of arrays by the ``ctx_group`` of their variable.
    shared : Executor or None
        The other executor, whose auxiliary states are shared.
    shared_names : sequence of str
        Arguments that are shared with `shared`, together with their gradients, if it has them.
    stypes : dict of str to str
        Storage types by name; default: as declared by the variables.
    """

    def __init__(
        self,
        device: Context,
        group2ctx: Mapping[str, Context],
        shared: Executor | None,
        shared_names: Sequence[str],
        stypes: Mapping[str, str],
    ) -> None:
        self._device = device
        self._group2ctx = group2ctx
        self._stypes = stypes
        self._args: dict[str, Any] = {}
        self._grads: dict[str, Any] = {}
        self._states: dict[str, Any] = {}
        if shared is not None:
            self._args = {name: shared.arg_dict.get(name) for name in shared_names}
            self._grads = {name: shared.grad_dict.get(name) for name in shared_names}
            self._states = shared.aux_dict

    def argument(self, node: Node, found: Inference) -> Any:
        """Return the array of an argument, whose shape and type were inferred."""
        return self._array(node, found, self._args)

    def state(self, node: Node, found: Inference) -> Any:
        """Return the array of an auxiliary state, whose shape and type were inferred."""
        return self._array(node, found, self._states)

    def gradient(self, name: str, array: Any, stype: str) -> Any:
        """Return the array of an argument's gradient.

        Parameters
        ----------
        name : str
        array : NDArray
            Array of the argument.
        stype : str
            Storage type of a gradient that is not shared.
        """
        shared = self._grads.get(name)
        if shared is None:
            return zeros(array.shape, array.dtype_code, array.context, stype)
        return shared

    def _array(self, node: Node, found: Inference, shared: Mapping[str, Any]) -> Any:
        kind = found.of((node, 0))
        if not kind.shape or 0 in kind.shape:
            raise OpforgeError(
                f"simple_bind: the shape of {node.name!r} cannot be inferred ({kind.shape}); "
                f"pass {node.name}=(...) to simple_bind"
            )
        array = shared.get(node.name)
        if array is None:
            device = self._group2ctx.get(node.attrs.get("__ctx_group__", ""), self._device)
            stype = self._stypes.get(node.name) or declared_storage(node)
            return zeros(kind.shape, max(kind.code, 0), device, stype)
        if array.shape != kind.shape:
            raise ShapeError(
                f"simple_bind: {node.name!r} has shape {array.shape} in shared_exec and "
                f"{kind.shape} here; shared arrays must have equal shapes"
            )
        return array
