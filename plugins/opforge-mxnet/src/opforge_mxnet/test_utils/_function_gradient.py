"""Comparison of a function's autograd gradient with central differences."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opforge import autograd
from opforge import ndarray as nd
from opforge.base.context import Context

from ._comparison import assert_almost_equal
from ._differences import central_differences
from ._tolerances import Tolerance

__all__ = ["check_function_gradient"]


def check_function_gradient(
    function: Callable[..., Any],
    location: Sequence[Any] | Mapping[str, Any],
    step: float | None,
    tolerances: tuple[Tolerance, Tolerance],
    wanted: Sequence[Any] | Mapping[str, str] | None,
    training: bool,
    ctx: Context,
    dtype: Any,
) -> None:
    """Compare a function's gradient with central differences; see `check_numeric_gradient`.

    The defaults of the step and of the relative and absolute tolerance are 1e-4, 1e-4 and 1e-6 for
    float64, and 1e-3, 1e-2 and 1e-3 for other types.
    """
    named = location if isinstance(location, Mapping) else dict(enumerate(location))
    arrays = {key: nd.array(np.asarray(v), dtype=dtype, ctx=ctx) for key, v in named.items()}
    exact = np.dtype(dtype) == np.float64
    usual = (1e-4, 1e-6) if exact else (1e-2, 1e-3)
    rtol, atol = (
        standard if given is None else given
        for given, standard in zip(tolerances, usual, strict=True)
    )
    if step is None:
        step = 1e-4 if exact else 1e-3
    checked = list(arrays) if wanted is None else list(wanted)
    probe = _Probe(function, arrays, training)
    analytic = probe.gradients(checked)
    for key in checked:
        numeric = central_differences(probe.number, arrays[key].asnumpy(), step, arrays[key])
        names = (f"gradient of {key!r} by autograd", "by differences")
        assert_almost_equal(analytic[key], numeric, rtol, atol, names)


class _Probe:
    """Randomly weighted sum of a function's outputs, evaluated at a point that can be changed."""

    def __init__(self, fn: Callable[..., Any], arrays: dict[Any, Any], training: bool) -> None:
        self._fn = fn
        self._arrays = arrays
        self._training = training
        rng = np.random.default_rng(0)
        self._weights = [rng.normal(size=output.shape) for output in self._outputs()]

    def gradients(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Return the gradient by autograd with respect to each of `keys`."""
        for key in keys:
            self._arrays[key].attach_grad()
        with autograd.record(self._training):
            outputs = self._call_function()
        heads = [
            nd.array(weight, dtype=output.dtype, ctx=output.context)
            for weight, output in zip(self._weights, outputs, strict=True)
        ]
        autograd.backward(outputs, heads)
        return {key: self._arrays[key].grad.asnumpy() for key in keys}

    def number(self) -> float:
        """Return the weighted sum of the outputs at the current values of the arrays."""
        return float(
            sum((w * o).sum() for w, o in zip(self._weights, self._outputs(), strict=True))
        )

    def _call_function(self) -> list[Any]:
        if all(isinstance(key, int) for key in self._arrays):
            result = self._fn(*self._arrays.values())
        else:
            result = self._fn(**self._arrays)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def _outputs(self) -> list[np.ndarray]:
        mode = autograd.train_mode() if self._training else autograd.predict_mode()
        with mode:
            return [output.asnumpy().astype(np.float64) for output in self._call_function()]
