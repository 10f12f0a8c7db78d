"""Comparison of two optimizers after one update, under MXNet's name."""

from typing import Any

from opforge import ndarray as nd

from ._comparison import assert_almost_equal, compare_ndarray_tuple
from ._devices import default_context
from ._samples import rand_ndarray
from ._tolerances import Tolerance

__all__ = ["compare_optimizer"]


def compare_optimizer(
    opt1: Any,
    opt2: Any,
    shape: Any,
    dtype: Any,
    w_stype: str = "default",
    g_stype: str = "default",
    rtol: Tolerance = 1e-4,
    atol: Tolerance = 1e-5,
    compare_states: bool = True,
    ntensors: int = 1,
) -> None:
    """Update the same random weights with two optimizers and compare weights and states.

    Parameters
    ----------
    opt1, opt2 : Optimizer
    shape : tuple of int, or list of tuples
        Shape of the weights. With a list, `opt1` updates one weight at a time and `opt2` all
        weights in one call.
    dtype : str or numpy dtype
    w_stype, g_stype : {"default", "row_sparse"}
        Storage types of the weights and gradients that `opt2` gets; those of `opt1` are dense.
    rtol, atol : float, or dict of dtype to float
    compare_states : bool, default True
        Whether to compare the states before and after the update.
    ntensors : int, default 1
        Number of weights: 1 for one shape, else the length of the list.

    Raises
    ------
    AssertionError
        Weights or states differ.
    """
    many = isinstance(shape, list)
    shapes = shape if many else [shape]
    assert ntensors == len(shapes), (
        f"ntensors is {ntensors}; expected {len(shapes)}, the number of shapes"
    )
    first, grads = ([_draw(one, dtype, s) for one in shapes] for s in (w_stype, g_stype))
    # Copy the gradients too, because an optimizer may rescale them in place.
    second, same_grads = ([array.copy() for array in arrays] for arrays in (first, grads))
    first, grads = ([array.tostype("default") for array in arrays] for arrays in (first, grads))
    states = [
        [optimizer.create_state_multi_precision(at, w) for at, w in enumerate(weights)]
        for optimizer, weights in ((opt1, first), (opt2, second))
    ]
    if compare_states:
        compare_ndarray_tuple(tuple(states[0]), tuple(states[1]))
    for at, weight in enumerate(first):
        opt1.update_multi_precision(at, weight, grads[at], states[0][at])
    if many:
        opt2.update_multi_precision(list(range(ntensors)), second, same_grads, states[1])
    else:
        opt2.update_multi_precision(0, second[0], same_grads[0], states[1][0])
    if compare_states:
        compare_ndarray_tuple(tuple(states[0]), tuple(states[1]), rtol, atol)
    for one, other in zip(first, second, strict=True):
        assert_almost_equal(one, other, rtol, atol)


def _draw(shape: tuple[int, ...], dtype: Any, stype: str) -> Any:
    if stype != "default":
        return rand_ndarray(shape, stype, dtype=dtype, ctx=default_context())
    return nd.random.uniform(shape=shape, ctx=default_context(), dtype=dtype)
