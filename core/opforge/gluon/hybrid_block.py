"""`HybridBlock`: a block written once for arrays and for graphs.

Subclasses define ``hybrid_forward(F, x, ..., **params)``: `F` is the operator namespace and the
registered parameters arrive as keywords, named after their attributes. Parameters whose shape is
not known yet arrive as placeholders that the first operator to use them completes through its own
`infer_shape`.
"""

import functools
from typing import Any

from .. import ndarray as nd
from ..base.context import Context, current_context
from ..base.dtypes import code_of
from ..base.errors import ShapeError, UnknownShapeError
from ..native.deferred import DeferredArray
from ..ndarray import NDArray
from .block import Block
from .parameter import Parameter, is_known
from .parameter_dict import ParameterDict

__all__ = ["HybridBlock"]


class HybridBlock(Block):
    """Base class of layers that may be turned into a graph.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> class Scale(HybridBlock):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = self.params.get("factor", shape=(1,), init="ones")
    ...     def hybrid_forward(self, F, x, factor):
    ...         return F.broadcast_mul(x, factor)
    >>> scale = Scale(prefix="scale_")
    >>> scale.initialize()
    >>> scale(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._active = False
        self._flags: dict[str, Any] = {}

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Make `block`, which must be a HybridBlock, a child.

        Raises
        ------
        ValueError
            `block` is no HybridBlock.
        """
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"Children of HybridBlock must also be HybridBlock, but {block} has type "
                f"{type(block)}. If you are using Sequential, please try HybridSequential instead."
            )
        super().register_child(block, name)

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Ask this block and its children to run as one graph.

        The request is recorded and the numbers are those of the imperative run.

        Parameters
        ----------
        active : bool, default True
        **kwargs
            MXNet's flags, for instance `static_alloc` and `static_shape`.
        """
        self._active = active
        self._flags = kwargs
        super().hybridize(active, **kwargs)

    def forward(self, x: Any, *args: Any) -> Any:
        """Call `hybrid_forward` with the parameters on the context of the first input."""
        ctx = x.context if isinstance(x, NDArray) else _first_context((x, args))
        current = current_context()
        if ctx is current or ctx == current:
            return self._run(ctx, x, args)
        with ctx:
            return self._run(ctx, x, args)

    def _run(self, ctx: Context, x: Any, args: tuple[Any, ...]) -> Any:
        params = {}
        for name, param in self._reg_params.items():
            if param._single is not None and param._single_ctx is ctx:
                params[name] = param._single
            elif param._data is None and param._deferred_init:
                return self._run_deferred(ctx, x, args)
            else:
                params[name] = param.data(ctx)
        return self.hybrid_forward(nd, x, *args, **params)

    def _run_deferred(self, ctx: Context, x: Any, args: tuple[Any, ...]) -> Any:
        """Run with a placeholder for each parameter whose shape is not known yet."""
        if type(self).infer_shape is not HybridBlock.infer_shape:
            self.infer_shape(x, *args)
        params = {name: _value_or_placeholder(p, ctx) for name, p in self._reg_params.items()}
        try:
            return self.hybrid_forward(nd, x, *args, **params)
        except UnknownShapeError as error:
            unknown = [p.name for p in self._reg_params.values() if p._deferred_init]
            raise ShapeError(
                f"Deferred initialization failed because shape cannot be inferred: '{self.name}' "
                f"uses {', '.join(unknown)} before an operator that tells the shape. Pass it to "
                "such an operator (F.FullyConnected, ...), give the parameter its full shape, or "
                "define infer_shape(self, x, ...) that sets it."
            ) from error

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **params: Any) -> Any:
        """Compute the output; every hybrid block defines it.

        Parameters
        ----------
        F : module
            Operator namespace: `opforge.nd`.
        x : NDArray
        *args
            Further inputs.
        **params
            Values of the registered parameters, by attribute name.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define hybrid_forward(self, F, x, ...)"
        )

    def infer_shape(self, *args: Any) -> None:
        """Set the unknown dimensions of the parameters from the inputs.

        Seldom needed: the operators' own `infer_shape` completes the parameters. Override it
        where `hybrid_forward` needs a parameter's value before an operator has seen it.
        """


def _value_or_placeholder(param: Parameter, ctx: Context) -> Any:
    if param._data is not None or not param._deferred_init:
        return param.data(ctx)
    if is_known(param.shape):
        param._finish_deferred_init()
        return param.data(ctx)
    complete = functools.partial(param._complete, ctx=ctx)
    return DeferredArray(param.shape or (), code_of(param.dtype), complete)


def _first_context(values: Any) -> Context:
    """Return the context of the first array in nested `values`."""
    pending = list(values)
    while pending:
        value = pending.pop(0)
        if isinstance(value, NDArray):
            return value.context
        if isinstance(value, list | tuple):
            pending[:0] = value
    raise ValueError(
        f"HybridBlock requires NDArray inputs, but got {type(values[0]).__name__}: {values[0]!r}. "
        "Convert data with opforge.nd.array first."
    )
