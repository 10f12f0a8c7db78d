"""Comparison of a symbol's outputs and gradients with expected values, under MXNet's names."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.base.context import Context
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from ._comparison import assert_almost_equal
from ._devices import default_context
from ._location import AS_GIVEN, Arrays, as_array, located, requests, states
from ._tolerances import Tolerance

__all__ = [
    "assert_gradient",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "same_symbol_structure",
    "simple_forward",
]


def simple_forward(
    sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any
) -> Any:
    """Return the outputs of a symbol as a list of NumPy arrays, or one array for one output.

    Parameters
    ----------
    sym : Symbol
    ctx : Context, optional
    is_train : bool, default False
    **inputs : array_like
        Arguments by name.

    Examples
    --------
    >>> from opforge import sym
    >>> simple_forward(sym.var("x") + 1, x=[1.0, 2.0]).tolist()
    [2.0, 3.0]
    """
    arrays = {name: nd.array(value) for name, value in inputs.items()}
    outputs = sym.bind(ctx or default_context(), arrays).forward(is_train=is_train)
    found = [output.asnumpy() for output in outputs]
    return found[0] if len(found) == 1 else found


def check_symbolic_forward(
    sym: Symbol,
    location: Arrays,
    expected: Arrays,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    aux_states: Arrays | None = None,
    ctx: Context | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> list[NDArray]:
    """Compare the outputs of a symbol in prediction mode with the expected ones.

    Parameters
    ----------
    sym : Symbol
    location : dict of str to array, or list of arrays
        All arguments, by name or in the order of ``list_arguments()``.
    expected : dict of str to array, or list of arrays
        Expected outputs, by name or in the order of ``list_outputs()``.
    rtol, atol : float, or dict of dtype to float, optional
    aux_states : dict or list of arrays, optional
    ctx : Context, optional
    equal_nan : bool, default False
    dtype : numpy dtype or "asnumpy", default float32
        Element type to which NumPy arrays are converted; "asnumpy" keeps their types.

    Returns
    -------
    list of NDArray
        The outputs.

    Raises
    ------
    AssertionError
        An output differs; the message names it.
    """
    ctx = ctx or default_context()
    arguments = located(sym, location, ctx, dtype)
    executor = sym.bind(ctx, arguments, aux_states=states(sym, aux_states, ctx, dtype))
    outputs = executor.forward(is_train=False)
    names = sym.list_outputs()
    wanted = _in_order(expected, names)
    for name, want, got in zip(names, wanted, outputs, strict=True):
        pair = (f"EXPECTED_{name}", f"FORWARD_{name}")
        assert_almost_equal(want, got, rtol, atol, pair, equal_nan)
    return outputs


def check_symbolic_backward(
    sym: Symbol,
    location: Arrays,
    out_grads: Any,
    expected: Arrays,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    aux_states: Arrays | None = None,
    grad_req: Any = "write",
    ctx: Context | None = None,
    grad_stypes: Mapping[str, str | None] | None = None,
    equal_nan: bool = False,
    dtype: Any = np.float32,
) -> dict[str, NDArray]:
    """Compare the gradients of a symbol's arguments with the expected ones.

    The gradient arrays are filled with random numbers before the backward pass to check each
    request: "write" must overwrite them, "add" must add to them and "null" must keep them.

    Parameters
    ----------
    sym : Symbol
    location : dict of str to array, or list of arrays
        All arguments, by name or in the order of ``list_arguments()``.
    out_grads : list or dict of arrays, or None
        Gradients of the outputs; None for a symbol whose outputs are losses.
    expected : dict of str to array, or list of arrays
        Expected gradients; a dict may leave out gradients that are not to be compared.
    rtol, atol : float, or dict of dtype to float, optional
    aux_states : dict or list of arrays, optional
    grad_req : {"write", "add", "null"}, or a list or dict of them
    ctx : Context, optional
    grad_stypes : dict of str to str, optional
        Storage types of gradients, by name.
    equal_nan : bool, default False
    dtype : numpy dtype or "asnumpy", default float32

    Returns
    -------
    dict of str to NDArray
        The gradients.

    Raises
    ------
    AssertionError
        A gradient differs; the message names it.
    """
    ctx = ctx or default_context()
    arguments = located(sym, location, ctx, dtype)
    if not isinstance(expected, Mapping):
        expected = dict(zip(sym.list_arguments(), expected, strict=False))
    before = {name: np.random.normal(size=arguments[name].shape) for name in expected}
    kinds = {
        name: np.asarray(v).dtype if dtype == AS_GIVEN else dtype
        for name, v in ((name, _numpy(value)) for name, value in expected.items())
    }
    grads = {name: nd.array(v, ctx=ctx, dtype=kinds[name]) for name, v in before.items()}
    for name, stype in (grad_stypes or {}).items():
        if name in grads and stype is not None:
            grads[name] = grads[name].tostype(stype)
    reqs = requests(sym, grad_req)
    aux = states(sym, aux_states, ctx, dtype)
    executor = sym.bind(ctx, arguments, args_grad=grads, grad_req=reqs, aux_states=aux)
    executor.forward(is_train=True)
    executor.backward(_heads(out_grads, ctx, dtype))
    for name, want in expected.items():
        pair = (f"EXPECTED_{name}", f"BACKWARD_{name}")
        start = grads[name].dtype(0) + before[name]
        assert_gradient(want, grads[name], reqs[name], start, (rtol, atol), pair, equal_nan)
    return grads


def assert_gradient(
    expected: Any,
    got: NDArray,
    request: str,
    before: np.ndarray,
    tolerances: tuple[Tolerance, Tolerance],
    names: tuple[str, str],
    equal_nan: bool = False,
) -> None:
    """Compare a gradient array with its expected values under a gradient request.

    Parameters
    ----------
    expected : array
        Gradient that the backward pass computes.
    got : NDArray
        Gradient array after the backward pass.
    request : {"write", "add", "null"}
    before : numpy.ndarray
        Values of the gradient array before the backward pass.
    tolerances : (rtol, atol)
    names : (str, str)
        Names of the arrays in the message.
    equal_nan : bool
    """
    found: Any = got
    if request == "add":
        found = got.asnumpy() - before
    elif request == "null":
        expected = before.astype(got.dtype)
    assert_almost_equal(expected, found, *tolerances, names, equal_nan)


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Return whether the nodes of two graphs have the same operators in the same order."""
    first, second = (json.loads(s.tojson())["nodes"] for s in (sym1, sym2))
    return all(a["op"] == b["op"] for a, b in zip(first, second, strict=False))


def _in_order(arrays: Arrays, names: Sequence[str]) -> list[Any]:
    return [arrays[name] for name in names] if isinstance(arrays, Mapping) else list(arrays)


def _heads(out_grads: Any, ctx: Context, dtype: Any) -> Any:
    if out_grads is None:
        return None
    if isinstance(out_grads, Mapping):
        return {name: as_array(value, ctx, dtype) for name, value in out_grads.items()}
    return [as_array(value, ctx, dtype) for value in out_grads]


def _numpy(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else value
