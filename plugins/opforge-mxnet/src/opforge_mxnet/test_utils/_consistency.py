"""Comparison of a symbol across devices and element types, under MXNet's name."""

import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd
from opforge.symbol import Symbol

from ._comparison import assert_almost_equal
from ._tolerances import Tolerance, get_tols

__all__ = ["check_consistency"]


def check_consistency(
    sym: Symbol | Sequence[Symbol],
    ctx_list: Sequence[Mapping[str, Any]],
    scale: float = 1.0,
    grad_req: Any = "write",
    arg_params: dict[str, Any] | None = None,
    aux_params: dict[str, Any] | None = None,
    rtol: Tolerance = None,
    atol: Tolerance = None,
    raise_on_err: bool = True,
    ground_truth: Mapping[str, Any] | None = None,
    equal_nan: bool = False,
    use_uniform: bool = False,
    rand_type: Any = np.float64,
) -> dict[str, Any]:
    """Compare outputs and gradients of one or more symbols under several bindings.

    Parameters
    ----------
    sym : Symbol, or list of Symbol
        One symbol for all bindings, or one for each entry of `ctx_list`, with the same names of
        arguments and outputs.
    ctx_list : list of dict
        Keyword arguments of `Symbol.simple_bind` for each binding: ``ctx``, shapes, ``type_dict``.
    scale : float
        Scale of the random arguments.
    grad_req : {"write", "add", "null"}, or a list or dict of them
    arg_params, aux_params : dict of str to array, optional
        Values by name. Missing arguments are drawn at random, missing states are zero, and both
        are added to the dict.
    rtol, atol : float, or dict of dtype to float, optional
    raise_on_err : bool, default True
        If False, print differences instead of raising.
    ground_truth : dict of str to NDArray, optional
        Outputs and gradients to compare with; None: those of the binding with the most precise
        output.
    equal_nan : bool, default False
    use_uniform : bool, default False
        Draw from the uniform distribution on [-0.92, 0.92) times `scale` instead of the normal
        distribution.
    rand_type : default float64
        Element type that random numbers are first rounded to.

    Returns
    -------
    dict of str to NDArray
        The outputs and gradients that were compared with.

    Raises
    ------
    AssertionError
        An output or gradient differs.
    """
    assert len(ctx_list) > 1, (
        "check_consistency: ctx_list has fewer than two entries. Pass at least two to compare"
    )
    symbols = [sym] * len(ctx_list) if isinstance(sym, Symbol) else list(sym)
    assert len(symbols) == len(ctx_list), (
        f"check_consistency: got {len(symbols)} symbols; expected {len(ctx_list)}, "
        "one for each entry of ctx_list"
    )
    outputs, arguments = symbols[0].list_outputs(), symbols[0].list_arguments()
    executors = []
    for one, options in zip(symbols, ctx_list, strict=True):
        assert (one.list_outputs(), one.list_arguments()) == (outputs, arguments)
        executors.append(one.simple_bind(grad_req=grad_req, **options))
    draw = _uniform if use_uniform else _normal
    arg_params = {} if arg_params is None else arg_params
    aux_params = {} if aux_params is None else aux_params
    for name, array in sorted(executors[0].arg_dict.items()):
        if name not in arg_params:
            arg_params[name] = draw(scale, array.shape).astype(rand_type)
    _fill(executors, arg_params, aux_params)

    kinds = [np.dtype(executor.outputs[0].dtype) for executor in executors]
    best = max(range(len(kinds)), key=lambda index: kinds[index].itemsize)
    others = [executor for index, executor in enumerate(executors) if index != best]
    truth = dict(ground_truth) if ground_truth is not None else None
    check = _Check((rtol, atol), equal_nan, raise_on_err)
    for executor in executors:
        executor.forward(is_train=False)
    right = executors[best].output_dict if truth is None else truth
    for executor in others:
        check("prediction", executor.output_dict, right)
    if grad_req == "null":
        return dict(right)
    _train(executors)
    if truth is None:
        truth = {**executors[best].output_dict, **executors[best].grad_dict}
    for executor in others:
        check("training", {**executor.output_dict, **executor.grad_dict}, truth)
    return truth


def _normal(scale: float, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(np.random.normal(size=shape, scale=scale))


def _uniform(scale: float, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(np.random.uniform(-0.92 * scale, 0.92 * scale, shape))


def _fill(executors: Sequence[Any], arguments: Mapping[str, Any], states: dict[str, Any]) -> None:
    """Set the same values in all executors and their gradients to zero."""
    for executor in executors:
        for name, array in executor.arg_dict.items():
            array[:] = arguments[name]
        for name, array in executor.aux_dict.items():
            array[:] = states.setdefault(name, 0)
        for array in executor.grad_arrays:
            if array is not None:
                array[:] = 0


def _train(executors: Sequence[Any]) -> None:
    """Run forward and backward; output gradients are the first executor's outputs, rounded."""
    for executor in executors:
        executor.forward(is_train=True)
    kinds = [_coarsest(each) for each in zip(*(e.outputs for e in executors), strict=True)]
    heads = [o.astype(kind).asnumpy() for o, kind in zip(executors[0].outputs, kinds, strict=True)]
    for executor in executors:
        executor.backward(
            [
                nd.array(head, ctx=output.context, dtype=output.dtype)
                for head, output in zip(heads, executor.outputs, strict=True)
            ]
        )


def _coarsest(arrays: Sequence[Any]) -> Any:
    return min((np.dtype(array.dtype) for array in arrays), key=lambda kind: kind.itemsize)


class _Check:
    """Comparison of named arrays with the expected ones."""

    def __init__(
        self, tolerances: tuple[Tolerance, Tolerance], equal_nan: bool, raises: bool
    ) -> None:
        self._tolerances, self._equal_nan, self._raises = tolerances, equal_nan, raises

    def __call__(self, when: str, found: Mapping[str, Any], right: Mapping[str, Any]) -> None:
        # A float32 gradient computed through float16 is only as precise as float16.
        coarsest = _coarsest([a for a in found.values() if a is not None])
        for name, array in found.items():
            if array is None or right[name] is None:
                assert array is right[name], (
                    f"{when}: one of the two gradients of {name} is missing"
                )
                continue
            one, other = (self._as_exact_as(coarsest, a) for a in (array, right[name]))
            rtol, atol = get_tols(one, other, *self._tolerances)
            try:
                names = (f"{when}: {name} as {array.dtype.__name__}", "right")
                assert_almost_equal(array, right[name], rtol, atol, names, self._equal_nan)
            except AssertionError:
                if self._raises:
                    raise
                traceback.print_exc()

    @staticmethod
    def _as_exact_as(kind: Any, array: Any) -> Any:
        return array.astype(min(kind, np.dtype(array.dtype), key=lambda one: one.itemsize))
