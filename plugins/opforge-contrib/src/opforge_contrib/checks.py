"""Sample calls and references in float64 for ``opforge check``."""

from math import lgamma
from typing import Any

import numpy as np


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Return the result of cumsum."""
    return np.cumsum(a if dtype is None else a.astype(dtype), axis)


def split(
    data: Any, indices: Any, axis: int = 1, squeeze_axis: bool = False, sections: int = 0
) -> Any:
    """Return the results of _split_v2."""
    parts = np.array_split(data, sections or indices[1:], axis)
    return [part.squeeze(axis) if squeeze_axis else part for part in parts]


def ravel(data: Any, shape: Any) -> Any:
    """Return the result of ravel_multi_index."""
    return np.cumprod([1, *shape[:0:-1]])[::-1] @ np.trunc(data)


def unravel(data: Any, shape: Any) -> Any:
    """Return the result of unravel_index."""
    rest, found = np.trunc(data), []
    for length in shape[:0:-1]:
        found.append(np.fmod(rest, length))
        rest = (rest - found[-1]) / length
    return np.stack([rest, *found[::-1]])


def histogram(data: Any, bins: Any = None, bin_cnt: int = 1, range: Any = (0, 1)) -> Any:
    """Return the results of _histogram."""
    edges = np.linspace(range[0], range[1], bin_cnt + 1) if bins is None else bins
    inside = data[(data >= edges[0]) & (data <= edges[-1])]
    return [np.histogram(inside, np.maximum.accumulate(edges))[0], edges]


def khatri_rao(*matrices: Any) -> Any:
    """Return the result of khatri_rao."""
    product = matrices[0]
    for matrix in matrices[1:]:
        product = np.einsum("ik,jk->ijk", product, matrix).reshape(-1, product.shape[1])
    return product


def moments(data: Any, axes: Any, keepdims: bool = False) -> Any:
    """Return the results of moments."""
    if not data.size:
        raise ValueError("no elements")
    both = np.mean(data, axes, keepdims=keepdims), np.var(data, axes, keepdims=keepdims)
    return [np.atleast_1d(array) for array in both]


def svm(data: Any, label: Any, **attributes: Any) -> Any:
    """Return the result of SVMOutput."""
    if label.shape != data.shape[:1]:
        raise ValueError("expected a label per row")
    return data


def svm_loss(
    data: Any,
    label: Any,
    margin: float = 1,
    regularization_coefficient: float = 1,
    use_linear: bool = False,
) -> Any:
    """Return the loss whose gradient SVMOutput has."""
    target = np.where(np.arange(data.shape[1]) == label[:, np.newaxis], 1, -1)
    hinge = np.maximum(0, margin - target * data)
    return regularization_coefficient * (hinge if use_linear else hinge**2)


def fft(data: Any, **attributes: Any) -> Any:
    """Return the result of fft."""
    spectrum = np.fft.fft(data) if data.size else np.zeros(data.shape, complex)
    return spectrum.view(np.float64)


def ifft(data: Any, **attributes: Any) -> Any:
    """Return the result of ifft."""
    spectrum = data.reshape(*data.shape[:-1], -1, 2) @ [1, 1j]
    return np.fft.ifft(spectrum, norm="forward").real if data.size else spectrum.real


def count_sketch(data: Any, h: Any, s: Any, out_dim: int, **attributes: Any) -> Any:
    """Return the result of count_sketch."""
    out = np.zeros((out_dim, *data.shape[:-1]))
    np.add.at(out, h[0].astype(int), np.moveaxis(data * s[0], -1, 0))
    return np.moveaxis(out, 0, -1)


def hawkes(*inputs: Any) -> Any:
    """Return the results of hawkesll, event by event."""
    lda, alpha, beta, state, lags, marks, valid_length, max_time = inputs
    total, state, last = np.zeros(len(lags)), state.copy(), np.zeros_like(lda)
    for row in range(len(lags)):
        time = 0.0
        for column in range(int(valid_length[row])):
            mark = int(marks[row, column])
            time += lags[row, column]
            gap = time - last[row, mark]
            decay = np.exp(-beta[mark] * gap)
            excited = alpha[mark] * state[row, mark]
            total[row] += np.log(lda[row, mark] + beta[mark] * excited * decay)
            total[row] -= lda[row, mark] * gap + excited * (1 - decay)
            state[row, mark] = 1 + state[row, mark] * decay
            last[row, mark] = time
    rest = max_time[:, np.newaxis] - last
    decay = np.exp(-beta * rest)
    return total - (lda * rest + alpha * state * (1 - decay)).sum(1), state * decay


def hawkes_samples(rng: Any) -> list[Any]:
    """Return calls with positive intensities, the second one without events."""
    found = []
    for n, k, t in ((2, 3, 5), (1, 1, 2)):
        marks = rng.integers(0, k, (n, t))
        lengths = np.arange(t, t - n, -1.0) if n > 1 else np.zeros(n)
        shapes = [(n, k), (k,), (k,), (n, k), (n, t)]
        positive = [rng.uniform(0.5, 1.5, shape) for shape in shapes]
        found.append(
            {
                "inputs": [*positive, marks, lengths, rng.uniform(2 * t, 3 * t, n)],
                "attributes": {},
                "wanted": [0, 1, 2, 3, 4, 7],
            }
        )
    return found


def sparse_reg(
    data: Any,
    moving_avg: Any,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
) -> Any:
    """Return the activations, and the average after training."""
    return data, moving_avg * momentum + (1 - momentum) * data.mean(0)


log_gamma = np.vectorize(lgamma, otypes=[float])


def density(logarithm: Any, event_axes: int = 0) -> Any:
    """Return the reference of a density with this logarithm."""

    def reference(x: Any, *parameters: Any, is_log: bool = False) -> Any:
        spread = []
        for item in parameters:
            first = item.ndim - event_axes
            if item.shape != x.shape[:first] + x.shape[x.ndim - event_axes :]:
                raise ValueError("expected the first axes of the sample")
            middle = (1,) * (x.ndim - item.ndim)
            aligned = item.reshape(*item.shape[:first], *middle, *item.shape[first:])
            spread.append(np.broadcast_to(aligned, x.shape))
        if len({item.ndim for item in parameters}) > 1:
            raise ValueError("expected equal shapes")
        with np.errstate(all="ignore"):
            result = np.atleast_1d(logarithm(x, *spread))
            return result if is_log else np.exp(result)

    return reference


def log_negative_binomial(x: Any, k: Any, p: Any) -> Any:
    """Return the logarithm of the probability."""
    ways = log_gamma(x + k) - log_gamma(x + 1) - log_gamma(k)
    return ways + k * np.log(p) + x * np.log(1 - p)


def log_dirichlet(x: Any, alpha: Any) -> Any:
    """Return the logarithm of the density."""
    terms = (alpha - 1) * np.log(x) - log_gamma(alpha)
    return terms.sum(-1) + log_gamma(alpha.sum(-1))


def densities(
    logarithm: Any,
    sample: Any,
    *parameters: Any,
    counts: bool = False,
    known: dict[str, str] | None = None,
) -> Any:
    """Return the checks of a density; counts have no gradient."""
    event_axes = int(logarithm is log_dirichlet)
    samples = []
    for attributes in ({}, {"is_log": True}):
        sampled = call(np.array(sample), *map(np.array, parameters), **attributes)
        if counts:
            sampled["wanted"] = list(range(1, len(parameters) + 1))
        samples.append(sampled)
    checks = {"reference": density(logarithm, event_axes), "samples": samples}
    return {**checks, "expected_failures": known} if known else checks


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call."""
    return {"inputs": list(inputs), "attributes": attributes}


#: Fractions: the gradients at integers, where indices change, are undefined.
COLUMNS = np.array([[3.5, 6.5, 6.5], [4.5, 5.5, 1.5]])
X = [[0.5, 1.0, 2.0], [3.0, 0.25, 1.5]]
#: The derivative of the digamma function is missing.
GAMMA = {"second gradients": "gammaln has no second gradient"}
COUNTS = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_np_cumsum": {
        "reference": cumsum,
        "samples": [call((2, 3, 4), axis=axis) for axis in (None, 0, 1, -1)]
        + [call((2, 3), axis=1, dtype="float64")],
    },
    "_split_v2": {
        "reference": split,
        "samples": [
            call((2, 5), indices=(0, 1, 4)),
            call((5, 2), indices=(), axis=0, sections=3),
            call((2, 3), indices=(), axis=-1, sections=3, squeeze_axis=True),
        ],
    },
    "_ravel_multi_index": {
        "reference": ravel,
        "samples": [call(COLUMNS, shape=(7, 6)), call(COLUMNS, shape=(-1, 6))],
    },
    "_unravel_index": {
        "reference": unravel,
        "samples": [
            call(np.array([22.5, 41.5, 37.5]), shape=(7, 6)),
            call(np.array([[2.5], [41.5]]), shape=(2, 3, 7)),
        ],
    },
    "_histogram": {
        "reference": histogram,
        "samples": [
            call((4, 5), bin_cnt=3, range=(-1.0, 2.0)),
            call((7,), np.array([-1.0, -0.25, 0.5, 3])),
        ],
    },
    "_contrib_fft": {"reference": fft, "samples": [call((3, 5)), call((2, 1, 3, 4))]},
    "_contrib_ifft": {"reference": ifft, "samples": [call((3, 10)), call((2, 1, 3, 4))]},
    "_contrib_count_sketch": {
        "reference": count_sketch,
        "samples": [
            {
                "inputs": [shape, np.array([[0, 3, 3, 1.0]]), np.array([[1.0, -1, 1, -1]])],
                "attributes": {"out_dim": 5},
                "wanted": [0],
            }
            for shape in ((3, 4), (2, 1, 3, 4))
        ],
    },
    "_contrib_hawkesll": {"reference": hawkes, "samples": hawkes_samples},
    "IdentityAttachKLSparseReg": {
        "reference": sparse_reg,
        # The penalty is not the gradient of the result.
        "samples": [call((3, 2), (2,), penalty=0.0), call((2, 4), (4,), penalty=0.0, momentum=0.5)],
        "states_in_backward": True,
    },
    "_sample_unique_zipfian": {
        "samples": [call(range_max=20, shape=(2, 5)), call(range_max=3, shape=(4, 3))],
    },
    "khatri_rao": {
        "reference": khatri_rao,
        "samples": [call((2, 3)), call((2, 3), (4, 3)), call((2, 2), (1, 2), (3, 2))],
    },
    "moments": {
        "reference": moments,
        "samples": [
            call((3, 4), axes=(0,)),
            call((2, 3, 4), axes=(-1, 0), keepdims=True),
            call((2, 3), axes=(0, 1)),
        ],
    },
    "SVMOutput": {
        "reference": svm,
        "loss": svm_loss,
        "samples": [
            {"inputs": [(3, 4), np.array([0.0, 3, 7])], "attributes": attributes, "wanted": [0]}
            for attributes in (
                {},
                {"use_linear": True},
                {"margin": 0.3, "regularization_coefficient": 0.7},
            )
        ],
    },
    "_random_pdf_uniform": densities(
        lambda x, low, high: -np.log(high - low), X, [0.0, -1.0], [2.0, 4.0]
    ),
    "_random_pdf_normal": densities(
        lambda x, mu, sigma: -0.5 * ((x - mu) / sigma) ** 2 - np.log(sigma) - np.log(2 * np.pi) / 2,
        X,
        [0.0, 1.0],
        [1.0, 2.0],
    ),
    "_random_pdf_gamma": densities(
        lambda x, alpha, beta: (
            alpha * np.log(beta) + (alpha - 1) * np.log(x) - beta * x - log_gamma(alpha)
        ),
        X,
        [2.0, 0.5],
        [1.0, 3.0],
        known=GAMMA,
    ),
    "_random_pdf_exponential": densities(lambda x, lam: np.log(lam) - lam * x, X, [1.0, 0.5]),
    "_random_pdf_poisson": densities(
        lambda x, lam: x * np.log(lam) - lam - log_gamma(x + 1), COUNTS, [1.5, 3.0], counts=True
    ),
    "_random_pdf_negative_binomial": densities(
        log_negative_binomial, COUNTS, [1.0, 1.5], [0.5, 0.25], counts=True, known=GAMMA
    ),
    "_random_pdf_generalized_negative_binomial": densities(
        lambda x, mu, alpha: log_negative_binomial(x, 1 / alpha, 1 / (mu * alpha + 1)),
        COUNTS,
        [1.0, 1.5],
        [1.0, 0.6],
        counts=True,
        known={
            **GAMMA,
            "magnitudes": "for small dispersions, differences of gammaln cancel",
            "special values": "an infinite mean gives NaN",
        },
    ),
    "_random_pdf_dirichlet": densities(
        log_dirichlet,
        [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]],
        [2.0, 0.5, 1.5],
        known={**GAMMA, "axes": "the density of vectors of 17 elements exceeds float16"},
    ),
}
