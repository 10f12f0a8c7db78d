"""Checks of gradients against central differences, under MXNet's names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge import symbol as symbols
from opforge.base.context import Context
from opforge.symbol import Symbol

from ._devices import default_context
from ._differences import central_differences
from ._function_gradient import check_function_gradient
from ._location import Arrays, located, states
from ._symbols import assert_gradient
from ._tolerances import Tolerance, default_numeric_eps, get_tolerance

__all__ = ["check_numeric_gradient", "numeric_grad"]

_PROJECTION = "__random_proj"


def check_numeric_gradient(
    sym: Symbol | Callable[..., Any],
    location: Arrays,
    aux_states: Arrays | None = None,
    numeric_eps: float | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    grad_nodes: Mapping[str, str] | Sequence[Any] | None = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    grad_stype_dict: Mapping[str, str | None] | None = None,
    dtype: Any = None,
) -> None:
    """Compare gradients with central differences, element by element.

    Parameters
    ----------
    sym : Symbol or callable
        A symbol with one output, or a function that takes NDArrays, positionally or by the names
        in `location`, and returns an NDArray or a list of them.
    location : list of arrays, or dict of str to array
        Inputs at which to compute the gradients.
    aux_states : list or dict of arrays, optional
        Auxiliary states; only for a symbol.
    numeric_eps : float, optional
        Step of the differences; None: the default for the element type.
    rtol, atol : float, or dict of dtype to float, optional
    grad_nodes : list, or dict of name to {"write", "add", "null"}, optional
        Inputs to check; None: all.
    use_forward_train : bool, default True
        Use training mode when computing the differences.
    ctx : Context, optional
    grad_stype_dict : dict of str to str, optional
        Storage types of gradients, by name.
    dtype : optional
        Element type of the inputs; None: float32 for a symbol, as in MXNet, and float64 for a
        function, because its differences are much more precise.

    Raises
    ------
    AssertionError
        A gradient differs; the message names the input and the worst elements.

    Examples
    --------
    >>> check_numeric_gradient(lambda x: x * x, [np.array([1.0, 2.0])])
    """
    ctx = ctx or default_context()
    if not isinstance(sym, Symbol):
        assert aux_states is None, (
            "check_numeric_gradient: aux_states requires a Symbol. Omit it for a function"
        )
        kind = np.float64 if dtype is None else dtype
        check_function_gradient(
            sym, location, numeric_eps, (rtol, atol), grad_nodes, use_forward_train, ctx, kind
        )
        return
    dtype = np.float32 if dtype is None else dtype
    arguments = located(sym, location, ctx, dtype)
    point = {name: array.asnumpy() for name, array in arguments.items()}
    aux = states(sym, aux_states, ctx, dtype)
    start = {name: array.asnumpy() for name, array in aux.items()}
    reqs = _requests(sym, grad_nodes)

    # Offset the weights from zero, because small weights lose digits of the outputs.
    _, (out_shape, *_), _ = sym.infer_shape(**{name: v.shape for name, v in point.items()})
    arguments[_PROJECTION] = nd.array(np.random.rand(*out_shape) + 0.1, ctx=ctx, dtype=dtype)
    before = {name: np.random.normal(0, 0.01, point[name].shape) for name in reqs}
    grads = {name: nd.array(v, ctx=ctx, dtype=dtype) for name, v in before.items()}
    for name, stype in (grad_stype_dict or {}).items():
        if name in grads and stype is not None:
            grads[name] = grads[name].tostype(stype)
    projected: Any = symbols.broadcast_mul(sym, symbols.var(_PROJECTION))
    executor = projected.bind(ctx, arguments, args_grad=grads, grad_req=reqs, aux_states=aux)
    (output,) = executor.forward(is_train=True)
    eps = get_tolerance(output, numeric_eps, default_numeric_eps())
    executor.backward(nd.ones(output.shape, ctx=ctx, dtype=output.dtype))
    checked = {name: point[name] for name in reqs}
    numeric = numeric_grad(executor, checked, start or None, eps, use_forward_train, dtype)
    for name, request in reqs.items():
        pair = (f"NUMERICAL_{name}", f"BACKWARD_{name}")
        assert_gradient(numeric[name], grads[name], request, before[name], (rtol, atol), pair)


def numeric_grad(
    executor: Any,
    location: Mapping[str, Any],
    aux_states: Mapping[str, Any] | None = None,
    eps: float = 1e-4,
    use_forward_train: bool = True,
    dtype: Any = np.float32,
) -> dict[str, np.ndarray]:
    """Return the gradient of the sum of an executor's first output by central differences.

    Parameters
    ----------
    executor : Executor
        Executor to evaluate; its arguments keep the values in `location`.
    location : dict of str to numpy.ndarray
        Arguments to differentiate with respect to, and their values; the gradient of arguments
        that are not floating point is zero.
    aux_states : dict of str to array, optional
        Values to which the states are reset before each evaluation.
    eps : float
        Distance between the two evaluation points of a difference.
    use_forward_train : bool
        Run in training mode.
    dtype : default float32
        Element type of the result.
    """
    for name, value in location.items():
        executor.arg_dict[name][:] = value

    def total() -> float:
        for name, value in (aux_states or {}).items():
            executor.aux_dict[name][:] = value
        outputs = executor.forward(is_train=use_forward_train)
        return float(outputs[0].asnumpy().astype(np.float64).sum())

    found = {}
    for name, value in location.items():
        point = np.asarray(value)
        if point.dtype.kind == "f":
            target = executor.arg_dict[name]
            gradient = central_differences(total, point, eps / 2, target)
            found[name] = gradient.astype(dtype)
        else:
            found[name] = np.zeros(point.shape, dtype)
    return found


def _requests(sym: Symbol, grad_nodes: Mapping[str, str] | Sequence[Any] | None) -> dict[str, str]:
    if isinstance(grad_nodes, Mapping):
        return dict(grad_nodes)
    return dict.fromkeys(sym.list_arguments() if grad_nodes is None else grad_nodes, "write")
