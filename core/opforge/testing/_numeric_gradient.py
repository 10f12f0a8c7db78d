"""The gradient element by element against central differences, under MXNet's name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import autograd
from .. import ndarray as nd
from ..base.context import Context
from ._comparison import assert_almost_equal
from ._samples import default_context

__all__ = [
    "check_numeric_gradient",
]


def check_numeric_gradient(
    fn: Callable[..., Any],
    location: Sequence[Any] | Mapping[str, Any],
    numeric_eps: float | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    grad_nodes: Sequence[int] | Sequence[str] | None = None,
    use_forward_train: bool = True,
    ctx: Context | None = None,
    dtype: Any = np.float64,
) -> None:
    """Compare the gradient that autograd gives with central differences, element by element.

    Parameters
    ----------
    fn : callable
        Takes NDArrays, positionally or by the names in `location`; returns one or a list.
    location : list of arrays, or dict of str to array
        Where to check.
    numeric_eps : float, optional
        Step; None: 1e-4 in float64, else 1e-3.
    rtol, atol : float, optional
        Tolerances; None: 1e-4 and 1e-6 in float64, else 1e-2 and 1e-3.
    grad_nodes : list, optional
        Indices or names of the inputs to check; None: all.
    use_forward_train : bool, default True
        Run in training mode.
    ctx : Context, optional
    dtype : default float64
        Element type of the inputs; with float32 differences are much less exact.

    Raises
    ------
    AssertionError
        A gradient differs; the message names the input and the worst elements.

    Examples
    --------
    >>> check_numeric_gradient(lambda x: x * x, [np.array([1.0, 2.0])])
    """
    named = location if isinstance(location, Mapping) else dict(enumerate(location))
    ctx = ctx or default_context()
    arrays = {key: nd.array(np.asarray(v), dtype=dtype, ctx=ctx) for key, v in named.items()}
    exact = np.dtype(dtype) == np.float64
    eps = numeric_eps or (1e-4 if exact else 1e-3)
    rtol = rtol or (1e-4 if exact else 1e-2)
    atol = atol if atol is not None else (1e-6 if exact else 1e-3)
    checked = list(arrays) if grad_nodes is None else list(grad_nodes)
    probe = _Probe(fn, arrays, use_forward_train)
    analytic = probe.gradients(checked)
    for key in checked:
        numeric = probe.differences(key, eps)
        names = (f"gradient of {key!r} by autograd", "by differences")
        assert_almost_equal(analytic[key], numeric, rtol, atol, names)


class _Probe:
    """A function as one number, its outputs weighted at random, at a point that can be moved."""

    def __init__(self, fn: Callable[..., Any], arrays: dict[Any, Any], training: bool) -> None:
        self._fn = fn
        self._arrays = arrays
        self._training = training
        rng = np.random.default_rng(0)
        self._weights = [rng.normal(size=output.shape) for output in self._outputs()]

    def gradients(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Return the gradient with respect to each of `keys` as autograd has it."""
        for key in keys:
            self._arrays[key].attach_grad()
        with autograd.record(self._training):
            outputs = self._called()
        heads = [
            nd.array(weight, dtype=output.dtype, ctx=output.context)
            for weight, output in zip(self._weights, outputs, strict=True)
        ]
        autograd.backward(outputs, heads)
        return {key: self._arrays[key].grad.asnumpy() for key in keys}

    def differences(self, key: Any, eps: float) -> np.ndarray:
        """Return the gradient with respect to `key` by central differences."""
        here = self._arrays[key]
        start = here.asnumpy()
        gradient = np.empty(start.shape, np.float64)
        for index in np.ndindex(start.shape):
            values = []
            for step in (eps, -eps):
                moved = start.copy()
                moved[index] += step
                self._arrays[key] = nd.array(moved, dtype=start.dtype, ctx=here.context)
                values.append(self._number())
            gradient[index] = (values[0] - values[1]) / (2 * eps)
        self._arrays[key] = here
        return gradient

    def _called(self) -> list[Any]:
        if all(isinstance(key, int) for key in self._arrays):
            result = self._fn(*self._arrays.values())
        else:
            result = self._fn(**self._arrays)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _outputs(self) -> list[np.ndarray]:
        mode = autograd.train_mode() if self._training else autograd.predict_mode()
        with mode:
            return [output.asnumpy().astype(np.float64) for output in self._called()]

    def _number(self) -> float:
        return float(
            sum((w * o).sum() for w, o in zip(self._weights, self._outputs(), strict=True))
        )
