"""Check of gradient requests: write overwrites, add accumulates, null skips."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

__all__ = ["check_requests"]


def check_requests(
    function: Callable[..., Any], inputs: Sequence[Any], *, rtol: float = 1e-10
) -> None:
    """Check that gradients are stored according to each input's ``grad_req``.

    Parameters
    ----------
    function : callable
        Maps float64 NDArrays to an NDArray or a list of them.
    inputs : sequence of array_like
    rtol : float

    Raises
    ------
    AssertionError
        A gradient is wrong; the message names the request and the input.

    Examples
    --------
    >>> from opforge import nd
    >>> check_requests(lambda a, b: a * b, [[1.0, 2.0], [3.0, 4.0]])
    """
    once = _gradients(function, inputs, ["write"] * len(inputs), passes=2)
    for position in range(len(inputs)):
        reqs = ["write"] * len(inputs)
        reqs[position] = "add"
        twice = _gradients(function, inputs, reqs, passes=2)
        for other, (have, want) in enumerate(zip(twice, once, strict=True)):
            factor = 2 if other == position else 1
            np.testing.assert_allclose(
                have, factor * want, rtol=rtol, err_msg=f"input {other} with requests {reqs}"
            )
        reqs[position] = "null"
        none = _gradients(function, inputs, reqs, passes=1)
        if none[position] is not None:
            raise AssertionError(f"input {position} has a gradient although its request is null")


def _gradients(function: Any, inputs: Any, reqs: list[str], passes: int) -> list[Any]:
    """Return the gradients after some backward passes, None if not requested."""
    arrays = [nd.array(np.asarray(item, "float64"), dtype="float64") for item in inputs]
    for array, req in zip(arrays, reqs, strict=True):
        array.attach_grad(req)
    if all(req == "null" for req in reqs):
        return [array.grad for array in arrays]
    for _ in range(passes):
        with autograd.record():
            outputs = function(*arrays)
        autograd.backward(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs])
    return [None if a.grad is None else a.grad.asnumpy() for a in arrays]
