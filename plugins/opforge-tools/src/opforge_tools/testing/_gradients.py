"""Gradient check: analytic derivative along a random direction against central differences."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd

__all__ = ["GradientMismatchError", "check_gradients"]

#: Maximum number of elements per input to search for a wrong gradient.
_TRIED = 256
#: Accepted difference of the one-sided slopes of a smooth function.
_KINK = 1e-2


class GradientMismatchError(AssertionError):
    """Raised if the analytic and the numeric derivative along one direction differ.

    Parameters
    ----------
    message : str
    order : int
        Order of the wrong gradient: 1 the operator's, 2 its gradient's.
    is_smooth : bool
        Whether the function has the same finite slope on either side; otherwise it has a kink or
        a jump there, and no gradient to compare.
    is_finite : bool
        Whether the gradient is finite.
    """

    def __init__(
        self, message: str, order: int = 1, is_smooth: bool = True, is_finite: bool = True
    ) -> None:
        super().__init__(message)
        self.order = order
        self.is_smooth = is_smooth
        self.is_finite = is_finite


def check_gradients(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    order: int = 1,
    step: float = 1e-5,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    seed: int = 0,
) -> None:
    """Compare the gradients of `function` with finite differences.

    All outputs are projected onto one random vector and all inputs moved along another, so a check
    costs two evaluations of any size. With ``order=2`` the gradient itself is
    checked in the same way, which requires gradients composed of operators.

    Parameters
    ----------
    function : callable
        Maps float64 NDArrays to an NDArray or a list of them.
    inputs : sequence of array_like
        Point to check; keep its distance from kinks larger than `step`.
    order : int, default 1
    step, rtol, atol : float
    seed : int, default 0

    Raises
    ------
    GradientMismatchError
        The message has the order, both derivatives, the shapes, and the element whose gradient is
        furthest from its finite difference.

    Examples
    --------
    >>> from opforge import nd
    >>> check_gradients(lambda x, w: nd.dot(x, w), [[[1.0, 2.0]], [[3.0], [4.0]]], order=2)
    """
    rng = np.random.default_rng(seed)
    points = [np.asarray(item, dtype="float64") for item in inputs]
    weights = _weights(function, points, rng)

    def projected(*arrays: Any) -> Any:
        terms = [
            (out * w).sum() for out, w in zip(_as_list(function(*arrays)), weights, strict=True)
        ]
        return sum(terms[1:], terms[0])

    _check(projected, points, rng, order, order, (step, rtol, atol))


def _as_list(outputs: Any) -> list[Any]:
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _weights(function: Any, points: list[Any], rng: Any) -> list[Any]:
    """Return one random array for each output."""
    outputs = _as_list(function(*[nd.array(p, dtype="float64") for p in points]))
    return [nd.array(rng.standard_normal(out.shape), dtype="float64") for out in outputs]


def _gradient(scalar: Any, arrays: list[Any], create_graph: bool) -> list[Any]:
    """Return the gradients of a scalar function; recording must be on for `create_graph`."""
    with autograd.record():
        head = scalar(*arrays)
        return list(autograd.grad(head, arrays, create_graph=create_graph))


def _check(
    scalar: Any, points: list[Any], rng: Any, order: int, whole: int, tolerance: Any
) -> None:
    """Check one order along one direction, then the next order on the directional derivative."""
    step, rtol, atol = tolerance
    directions = [rng.standard_normal(p.shape) for p in points]
    moved = [nd.array(d, dtype="float64") for d in directions]

    def along(*arrays: Any) -> Any:
        grads = _gradient(scalar, list(arrays), create_graph=True)
        terms = [(g * d).sum() for g, d in zip(grads, moved, strict=True)]
        return sum(terms[1:], terms[0])

    arrays = [nd.array(p, dtype="float64") for p in points]
    for array in arrays:
        array.attach_grad()
    grads = _gradient(scalar, arrays, create_graph=False)
    analytic = sum(float((g.asnumpy() * d).sum()) for g, d in zip(grads, directions, strict=True))
    numeric = _difference(scalar, points, directions, step)
    if not abs(analytic - numeric) <= atol + rtol * max(abs(analytic), abs(numeric)):
        worst = _worst_element(scalar, points, [g.asnumpy() for g in grads], step)
        raise GradientMismatchError(
            f"gradient of order {whole - order + 1}: analytic {analytic:.9g}, numeric "
            f"{numeric:.9g}, for inputs of shapes {[p.shape for p in points]}{worst}",
            whole - order + 1,
            _is_smooth(scalar, points, directions, step),
            bool(np.isfinite(analytic)),
        )
    if order > 1:
        _check(along, points, rng, order - 1, whole, tolerance)


def _worst_element(scalar: Any, points: list[Any], gradients: list[Any], step: float) -> str:
    """Describe the element whose gradient is furthest from its finite difference.

    A few hundred elements of large inputs are tried, including the first and the last.
    """
    found: tuple[float, str] = (0.0, "")
    for at, (point, gradient) in enumerate(zip(points, gradients, strict=True)):
        chosen = np.unique(np.linspace(0, point.size - 1, min(point.size, _TRIED)).astype(int))
        for element in chosen.tolist():
            index = tuple(int(i) for i in np.unravel_index(element, point.shape))
            ways = [np.zeros_like(p) for p in points]
            ways[at][index] = 1
            numeric, analytic = _difference(scalar, points, ways, step), float(gradient[index])
            error = abs(analytic - numeric)
            if not error <= found[0]:
                text = f"element {index} of input {at} has the gradient {analytic:.7g}"
                found = error, f"; {text}, the finite difference is {numeric:.7g}"
            if np.isnan(error):
                return found[1]
    return found[1]


def _is_smooth(scalar: Any, points: list[Any], directions: list[Any], step: float) -> bool:
    """Return whether the one-sided slopes are finite and agree."""
    below, middle, above = (
        _moved_value(scalar, points, directions, signed) for signed in (-step, 0.0, step)
    )
    right, left = (above - middle) / step, (middle - below) / step
    return bool(abs(right - left) <= _KINK * max(abs(right), abs(left)))


def _difference(scalar: Any, points: list[Any], directions: list[Any], step: float) -> float:
    """Return the central difference of `scalar` along `directions`."""
    above, below = (_moved_value(scalar, points, directions, at) for at in (step, -step))
    return (above - below) / (2 * step)


def _moved_value(scalar: Any, points: list[Any], directions: list[Any], step: float) -> float:
    """Return `scalar` at the points moved along their directions."""
    moved = [p + step * d for p, d in zip(points, directions, strict=True)]
    arrays = [nd.array(m, dtype="float64") for m in moved]
    for array in arrays:
        array.attach_grad()
    return float(scalar(*arrays).asscalar())
