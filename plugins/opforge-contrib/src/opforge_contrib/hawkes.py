"""Operator hawkesll: the log likelihood of marked Hawkes processes."""

from typing import Any

import numpy as np

from opforge.plugin_api import CustomOp, OperatorProp, ShapeError

from .arrays import store
from .hawkes_events import Likelihood

#: Axes of each input: n sequences, k marks, t lags.
AXES = {
    "lda": "nk",
    "alpha": "k",
    "beta": "k",
    "state": "nk",
    "lags": "nt",
    "marks": "nt",
    "valid_length": "n",
    "max_time": "n",
}
DIFFERENTIABLE = ("lda", "alpha", "beta", "state", "lags", "max_time")


class _HawkesLLOp(CustomOp):
    """One call, computed in float64."""

    def forward(self, is_train: int, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Write the log likelihood and the states."""
        with np.errstate(all="ignore"):
            results = _likelihood(in_data).results()
        for out, how, value in zip(out_data, req, results, strict=True):
            store(out, value, how)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        """Write the gradients; those of marks and lengths are 0."""
        with np.errstate(all="ignore"):
            heads = (np.asarray(grad).astype(np.float64) for grad in out_grad)
            gradients = _likelihood(in_data).gradients(*heads)
        found = dict(zip(DIFFERENTIABLE, gradients, strict=True))
        for name, how, grad in zip(AXES, req, in_grad, strict=True):
            if name in found:
                store(grad, found[name], how)
            else:
                self.assign(grad, how, 0)


def _likelihood(in_data: Any) -> Likelihood:
    return Likelihood(*(np.asarray(array).astype(np.float64) for array in in_data))


class HawkesLL(OperatorProp):
    r"""Return the log likelihood of marked point processes that excite themselves.

    Each mark :math:`k` is an independent Hawkes process. With the times :math:`t_i` of its events,
    its intensity, the log likelihood until `max_time` :math:`T`, and its state are

    .. math::

        \lambda_k(t) &= \mu_k + \alpha_k \beta_k \, s_k(t), \qquad
        s_k(t) = s_k(0) \, e^{-\beta_k t} + \sum_{t_i < t} e^{-\beta_k (t - t_i)} \\
        \log L &= \sum_k \left( \sum_i \log \lambda_k(t_i) - \int_0^T \lambda_k(t) \, dt \right)

    The second output is the state at `max_time`, from which the next part of a sequence continues.

    Examples
    --------
    >>> from opforge import nd
    >>> lda, alpha, beta = nd.array([[1.5]]), nd.array([0.2]), nd.array([1])
    >>> lags, marks = nd.array([[1, 2, 3]]), nd.zeros((1, 3), dtype="int32")
    >>> lengths, end = nd.array([2]), nd.array([5])
    >>> results = nd.contrib.hawkesll(
    ...     lda, alpha, beta, nd.zeros((1, 1)), lags, marks, lengths, end
    ... )
    >>> print(*(result.asnumpy().round(3) for result in results))
    [-7.04] [[0.154]]
    """

    name = "_contrib_hawkesll"
    category = "loss"
    arguments = ("lda", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time")
    outputs = ("output", "out_state")
    dtypes = ("floating",)
    argument_dtypes = {"marks": ("floating", "integer")}
    argument_docs = {
        "lda": "shape (n, k), the background intensity of each mark",
        "alpha": "shape (k,), the expected number of events that an event causes",
        "beta": "shape (k,), the rate of decay",
        "state": "shape (n, k), the state at time 0, in which earlier events are counted",
        "lags": "shape (n, t), the time between an event and the previous one of the sequence",
        "marks": "shape (n, t), indices from 0 to k - 1; fractions are truncated",
        "valid_length": "shape (n,), numbers of events; lags and marks after them are ignored",
        "max_time": "shape (n,), the end of the observation",
    }
    saves = ("inputs",)
    stateless = True
    attrs = {"IsPure": True}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return shapes with the lengths that inputs have in common."""
        lengths: dict[str, int] = {}
        for (name, axes), shape in zip(AXES.items(), in_shape, strict=True):
            if not shape:
                continue
            expected = tuple(lengths.get(axis, 0) for axis in axes)
            is_misfit = len(shape) != len(axes) or any(
                0 not in pair and pair[0] != pair[1] for pair in zip(shape, expected, strict=True)
            )
            if is_misfit:
                words = ", ".join(str(lengths.get(axis) or axis) for axis in axes) + (
                    "," if len(axes) == 1 else ""
                )
                raise ShapeError(
                    f"operator '{self.name}': '{name}' has shape {tuple(shape)}; expected "
                    f"({words}) because the inputs before it have n={lengths.get('n', '?')} "
                    f"sequences and k={lengths.get('k', '?')} marks"
                )
            lengths.update({a: n for a, n in zip(axes, shape, strict=True) if n})
        completed = [tuple(lengths.get(axis, 0) for axis in axes) for axes in AXES.values()]
        n, k = completed[0]
        return completed, [(n,), (n, k)], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the common type; marks are int32 unless they have another type."""
        types = list(in_type)
        marks = self.arguments.index("marks")
        types[marks] = types[marks] or np.int32
        return super().infer_type(types)

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shapes of sequences and states."""
        total, state = map(tuple, out_shapes)
        lda = tuple(in_shapes[0])
        if not lda and (total or state):
            lda = state or (*total, 0)
        return [lda, *in_shapes[1:]]

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> CustomOp:
        """Return the object that computes calls."""
        return _HawkesLLOp()
