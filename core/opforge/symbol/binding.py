"""Binding of symbols to executors: arrays are checked, or allocated with inferred shapes."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import config
from ..base.context import HOST_TYPES, Context, are_apart, current_context
from ..base.dtypes import code_of
from ..base.errors import ContextError, DTypeError, OpforgeError, ShapeError
from ..native.array import Array, StoredArray
from .allocation import Allocation
from .executed_symbol import Binder, register_binder
from .executor import Executor
from .gradient_types import can_cast
from .inference.gradient_storage import gradient_storage
from .inference.inferred_symbol import infer_types_of
from .interpreted_executor import InterpretedExecutor
from .interpreter import has_shapes_from_values
from .node import variables_of
from .partitioning.optimizing import Given, optimize
from .symbol import Symbol

__all__ = ["bind", "evaluate", "simple_bind"]

REQUESTS = ("write", "add", "null")


def bind(
    symbol: Symbol,
    ctx: Context | None,
    args: Any,
    args_grad: Any,
    grad_req: Any,
    aux_states: Any,
    shared: Executor | None = None,
    grouped: bool = False,
) -> Executor:
    """Bind a symbol to arrays; see `Symbol.bind`."""
    device = _device("bind", ctx)
    names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
    given = _arrays("args", args, names, allow_missing=False)
    grads = {} if args_grad is None else _arrays("args_grad", args_grad, names, allow_missing=True)
    _check_gradients(given, grads)
    aux = _arrays("aux_states", aux_states or {}, states, allow_missing=False)
    if not grouped:
        for arrays in (given, grads, aux):
            _check_contexts(device, arrays)
    requests = {
        name: request if name in grads else "null"
        for name, request in _requests(grad_req, names).items()
    }
    optimized = _apply_backend(symbol, Given(given, aux, {}, {}))
    if optimized is not symbol:
        arrays, symbol = {**given, **aux}, optimized
        given = {name: arrays[name] for name in symbol.list_arguments()}
        aux = {name: arrays[name] for name in symbol.list_auxiliary_states()}
        grads = {name: grad for name, grad in grads.items() if name in given}
        requests = {name: requests.get(name, "null") for name in given}
    kind = _kind(symbol, device, given, grads, aux)
    return kind(symbol, device, given, grads, requests, aux, shared)


def simple_bind(
    symbol: Symbol,
    ctx: Context | None,
    grad_req: Any,
    type_dict: Mapping[str, Any] | None,
    shapes: Mapping[str, Any],
    shared: Executor | None = None,
    shared_names: Sequence[str] = (),
    group2ctx: Mapping[str, Context] | None = None,
    stypes: Mapping[str, str] | None = None,
) -> Executor:
    """Bind a symbol to new arrays of inferred shapes; see `Symbol.simple_bind`."""
    device = _device("simple_bind", ctx)
    asked = _requests(grad_req, symbol.list_arguments())
    codes = {name: code_of(dtype) for name, dtype in (type_dict or {}).items()}
    symbol = _apply_backend(symbol, Given({}, {}, shapes, codes))
    arguments, states = variables_of(symbol.nodes())
    names = [node.name for node in arguments]
    # Users pass shapes of labels to graphs without a loss; like MXNet, ignore unknown names.
    known = {*names, *[node.name for node in states]}
    shapes = {name: shape for name, shape in shapes.items() if name in known}
    codes = {name: code for name, code in codes.items() if name in known}
    found = infer_types_of(symbol.edges, shapes, codes)
    found.raise_contradiction()
    requests = {name: asked.get(name, "null") for name in names}
    made = Allocation(device, group2ctx or {}, shared, shared_names, stypes or {})
    args = {node.name: made.argument(node, found) for node in arguments}
    stypes = gradient_storage(symbol, {name: array.stype for name, array in args.items()})
    grads = {
        name: made.gradient(name, array, stypes.get(name, "default"))
        for name, array in args.items()
        if requests[name] != "null"
    }
    aux = {node.name: made.state(node, found) for node in states}
    kind = _kind(symbol, device, args, grads, aux)
    return kind(symbol, device, args, grads, requests, aux, shared, shapes)


def evaluate(symbol: Symbol, ctx: Context | None, args: Mapping[str, Any]) -> list[Any]:
    """Compute the outputs from arrays; see `Symbol.eval`."""
    states = set(symbol.list_auxiliary_states())
    arguments = {name: array for name, array in args.items() if name not in states}
    aux = {name: array for name, array in args.items() if name in states}
    return bind(symbol, ctx, arguments, None, "null", aux).forward()


def _apply_backend(symbol: Symbol, given: Given) -> Symbol:
    """Return the symbol as the subgraph backend of the environment optimizes it."""
    backend = config.get("OPFORGE_SUBGRAPH_BACKEND")
    if backend in ("", "NONE"):
        return symbol
    optimized, added = optimize(symbol, backend, {}, given)
    if added:
        raise OpforgeError(
            f"subgraph backend {backend!r} adds parameters ({', '.join(added)}), which arrays are "
            "not bound to; call optimize_for(backend, args, aux) and bind the result"
        )
    return optimized


def _kind(symbol: Symbol, device: Context, *tables: Mapping[str, Any]) -> type[Executor]:
    arrays = [array for table in tables for array in table.values()]
    if device.device_typeid not in HOST_TYPES:  # graphs are compiled for the CPU
        return InterpretedExecutor
    if has_shapes_from_values(symbol) or any([isinstance(array, StoredArray) for array in arrays]):
        return InterpretedExecutor
    return Executor


def _device(method: str, ctx: Any) -> Context:
    """Return the context of the arrays: the current one unless one is given."""
    if ctx is None:
        return current_context()
    if not isinstance(ctx, Context):
        raise TypeError(
            f"Symbol.{method}: ctx must be a Context such as cpu(), got {type(ctx).__name__}"
        )
    return ctx


def _arrays(what: str, given: Any, names: Sequence[str], allow_missing: bool) -> dict[str, Any]:
    """Return arrays by name, in the order of `names`."""
    if isinstance(given, Mapping):
        missing = [name for name in names if name not in given]
        if missing and not allow_missing:
            raise ValueError(f"key `{missing[0]}` is missing in `{what}`")
        found = {name: given[name] for name in names if name in given}
    elif isinstance(given, list | tuple):
        if len(given) != len(names):
            raise ValueError(f"Length of {what} does not match the number of arguments")
        found = dict(zip(names, given, strict=True))
    else:
        raise TypeError(f"{what} must be a list or a dict of NDArray, got {type(given).__name__}")
    for name, array in found.items():
        if array is not None and not isinstance(array, (Array, StoredArray)):
            raise TypeError(f"{what}: {name} must be an NDArray, got {type(array).__name__}")
        if array is None and not allow_missing:
            raise ValueError(f"{what}: {name} is None")
    return {name: array for name, array in found.items() if array is not None}


def _check_contexts(device: Context, arrays: Mapping[str, Any]) -> None:
    """Reject arrays on another device than the graph."""
    for name, array in arrays.items():
        if array.context is not device and are_apart(array.context, device):
            raise ContextError(
                f"bind: {name!r} is on {array.context}, expected {device}: without group2ctx, all "
                f"arrays must be there; move it with as_in_context({device})"
            )


def _check_gradients(args: Mapping[str, Any], grads: Mapping[str, Any]) -> None:
    """Reject gradient arrays that do not match their arguments."""
    for name, grad in grads.items():
        array = args[name]
        if grad.shape != array.shape:
            raise ShapeError(
                f"bind: args_grad has shape {grad.shape} for {name!r}, expected {array.shape}, "
                "the shape of the argument"
            )
        if grad.dtype_code != array.dtype_code and not can_cast(array, grad):
            wanted = array.dtype.__name__
            raise DTypeError(
                f"bind: args_grad is {grad.dtype.__name__} for {name!r}, expected {wanted}, the "
                f"type of the argument; pass zeros of dtype={wanted!r}"
            )


def _requests(grad_req: Any, names: Sequence[str]) -> dict[str, str]:
    """Return the gradient request of each argument."""
    if isinstance(grad_req, str):
        found = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, list | tuple):
        if len(grad_req) != len(names):
            raise ValueError(f"grad_req has {len(grad_req)} elements for {len(names)} arguments")
        found = dict(zip(names, grad_req, strict=True))
    elif isinstance(grad_req, Mapping):
        found = {name: grad_req.get(name, "null") for name in names}
    else:
        raise TypeError(f"grad_req must be a str, list or dict, got {type(grad_req).__name__}")
    for name, request in found.items():
        if request not in REQUESTS:
            raise ValueError(f"grad_req of {name} must be in {list(REQUESTS)}, got {request!r}")
    return found


register_binder(Binder(bind, simple_bind, evaluate))
