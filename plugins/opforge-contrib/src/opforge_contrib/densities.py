"""Operators random_pdf_x: densities and probabilities of samples, with gradients."""

from collections.abc import Sequence
from math import log, pi
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, OperatorProp, ShapeError

Dims = tuple[int, ...]

_LOG_SQRT_2_PI = log(2 * pi) / 2


class _Density(OperatorProp):
    """Base class: the parameters have the shape of the first axes of the sample."""

    category = "random"
    dtypes = ("floating",)
    attrs = {"IsPure": True}
    is_log = Attribute(bool, default=False, doc="Whether to return the logarithm.")
    #: Number of axes of a single outcome.
    event_axes: ClassVar[int] = 0

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the sample, without the axes of an outcome."""
        sample, *parameters = map(tuple, in_shape)
        given = next((shape for shape in parameters if shape), ())
        completed = [shape or given for shape in parameters]
        if not sample:
            return [sample, *completed], [None], []
        self._expect_lead(sample, completed)
        out = sample[: len(sample) - self.event_axes] or (1,)
        return [sample, *completed], [out], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the output's shape for the sample."""
        if self.event_axes:
            return list(in_shapes)
        return [out_shapes[0], *in_shapes[1:]]

    def _expect_lead(self, sample: Dims, parameters: Sequence[Dims]) -> None:
        """Reject parameters whose shape is not that of the first axes of the sample."""
        expected = [self._lead(sample, shape) for shape in parameters]
        misfits = [
            any(a != b and 0 not in (a, b) for a, b in zip(shape, lead, strict=True))
            if len(shape) == len(lead)
            else True
            for shape, lead in zip(parameters, expected, strict=True)
        ]
        ranks = {len(shape) for shape in parameters}
        if any(misfits) or len(ranks) > 1:
            given = dict(zip(self.arguments[1:], parameters, strict=True))
            raise ShapeError(
                f"operator '{self.name}': sample has shape {sample}, and the parameters have the "
                f"shapes {given}; expected the first axes of sample for each parameter"
                + (", and the last one" if self.event_axes else "")
            )

    def _lead(self, sample: Dims, parameter: Dims) -> Dims:
        """Return the expected shape of a parameter with as many axes."""
        first = len(parameter) - self.event_axes
        return sample[:first] + sample[len(sample) - self.event_axes :]

    def compose(self, F: Any, sample: Any, *parameters: Any) -> Any:
        """Return the logarithm, or its exponential."""
        shape = tuple(sample.shape)
        shapes = [tuple(parameter.shape) for parameter in parameters]
        self._expect_lead(shape, shapes)
        if 0 in shape:
            result = F.sum(sample, axis=-1) if self.event_axes and len(shape) > 1 else sample
            for parameter in parameters:
                result = F.broadcast_add(result, F.sum(parameter))
            return result
        spread = []
        for parameter, own in zip(parameters, shapes, strict=True):
            first = len(own) - self.event_axes
            middle = (1,) * (len(shape) - len(own))
            aligned = F.reshape(parameter, shape=(*own[:first], *middle, *own[first:]))
            spread.append(F.broadcast_like(aligned, sample))
        result = self.logarithm(F, sample, *spread)
        return result if self.is_log else F.exp(result)

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the density; all inputs have the sample's shape."""
        raise NotImplementedError(type(self).__name__)


class PdfUniform(_Density):
    r"""Return the density of a uniform distribution, as in MXNet also outside of the interval.

    .. math:: p(x) = \frac{1}{b - a}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.random_pdf_uniform(nd.array([[1, 2]]), nd.array([0]), nd.array([4])).asnumpy().tolist()
    [[0.25, 0.25]]
    """

    name = "_random_pdf_uniform"
    aliases = ("random_pdf_uniform",)
    arguments = ("sample", "low", "high")
    argument_docs = {
        "sample": "outcomes, floating",
        "low": "lower bounds; shape of the first axes of sample",
        "high": "upper bounds; the same shape",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the negative logarithm of the length."""
        low, high = parameters
        return -F.log(high - low)


class PdfNormal(_Density):
    r"""Return the density of a normal distribution.

    .. math:: p(x) = \frac{1}{\sqrt{2 \pi} \sigma} \, e^{-(x - \mu)^2 / (2 \sigma^2)}

    Examples
    --------
    >>> from opforge import nd
    >>> p = nd.random_pdf_normal(nd.array([[0, 1]]), nd.array([0]), nd.array([1]))
    >>> print(p.asnumpy().round(4))
    [[0.3989 0.242 ]]
    """

    name = "_random_pdf_normal"
    aliases = ("random_pdf_normal",)
    arguments = ("sample", "mu", "sigma")
    argument_docs = {
        "sample": "outcomes, floating",
        "mu": "means; shape of the first axes of sample",
        "sigma": "standard deviations; the same shape",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the density."""
        mu, sigma = parameters
        return -0.5 * F.square((x - mu) / sigma) - F.log(sigma) - _LOG_SQRT_2_PI


class PdfGamma(_Density):
    r"""Return the density of a gamma distribution with a shape and a rate.

    .. math:: p(x) = \frac{\beta^\alpha x^{\alpha - 1} e^{-\beta x}}{\Gamma(\alpha)}

    Examples
    --------
    >>> from opforge import nd
    >>> p = nd.random_pdf_gamma(nd.array([[1, 2]]), nd.array([5]), nd.array([1]))
    >>> print(p.asnumpy().round(4))
    [[0.0153 0.0902]]
    """

    name = "_random_pdf_gamma"
    aliases = ("random_pdf_gamma",)
    arguments = ("sample", "alpha", "beta")
    argument_docs = {
        "sample": "outcomes, floating",
        "alpha": "shapes; shape of the first axes of sample",
        "beta": "rates; the same shape",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the density."""
        alpha, beta = parameters
        return alpha * F.log(beta) + (alpha - 1) * F.log(x) - beta * x - F.gammaln(alpha)


class PdfExponential(_Density):
    r"""Return the density of an exponential distribution, as in MXNet also below 0.

    .. math:: p(x) = \lambda e^{-\lambda x}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.random_pdf_exponential(nd.array([[1, 2]]), nd.array([1])).asnumpy().round(4))
    [[0.3679 0.1353]]
    """

    name = "_random_pdf_exponential"
    aliases = ("random_pdf_exponential",)
    arguments = ("sample", "lam")
    argument_docs = {
        "sample": "outcomes, floating",
        "lam": "rates; shape of the first axes of sample",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the density."""
        (lam,) = parameters
        return F.log(lam) - lam * x


class PdfPoisson(_Density):
    r"""Return the probability of counts from a Poisson distribution; counts have no gradient.

    .. math:: p(x) = \frac{\lambda^x e^{-\lambda}}{x!}

    Examples
    --------
    >>> from opforge import nd
    >>> print(nd.random_pdf_poisson(nd.array([[0, 2]]), nd.array([1])).asnumpy().round(4))
    [[0.3679 0.1839]]
    """

    name = "_random_pdf_poisson"
    aliases = ("random_pdf_poisson",)
    arguments = ("sample", "lam")
    argument_docs = {
        "sample": "counts, floating",
        "lam": "rates; shape of the first axes of sample",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the probability."""
        (lam,) = parameters
        x = F.BlockGrad(x)
        return x * F.log(lam) - F.gammaln(x + 1) - lam


def _negative_binomial(F: Any, x: Any, limit: Any, log_p: Any, log_1p: Any) -> Any:
    """Return the logarithm of the probability of `x` successes before `limit` failures."""
    ways = F.gammaln(x + limit) - F.gammaln(x + 1) - F.gammaln(limit)
    return ways + limit * log_p + x * log_1p


class PdfNegativeBinomial(_Density):
    r"""Return the probability of counts of successes before `k` failures of probability `p`.

    .. math:: p(x) = \frac{\Gamma(x + k)}{x! \, \Gamma(k)} \, p^k (1 - p)^x

    Counts have no gradient; `k` need not be an integer.

    Examples
    --------
    >>> from opforge import nd
    >>> p = nd.random_pdf_negative_binomial(nd.array([[1, 2]]), nd.array([1]), nd.array([0.5]))
    >>> print(p.asnumpy().round(4))
    [[0.25  0.125]]
    """

    name = "_random_pdf_negative_binomial"
    aliases = ("random_pdf_negative_binomial",)
    arguments = ("sample", "k", "p")
    argument_docs = {
        "sample": "counts, floating",
        "k": "numbers of failures; shape of the first axes of sample",
        "p": "probabilities of a failure; the same shape",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the probability."""
        k, p = parameters
        return _negative_binomial(F, F.BlockGrad(x), k, F.log(p), F.log(1 - p))


class PdfGeneralizedNegativeBinomial(_Density):
    r"""Return the probability of counts from a negative binomial distribution by its mean.

    It is that of `random_pdf_negative_binomial` with
    :math:`k = 1 / \alpha` and :math:`p = 1 / (\mu \alpha + 1)`. Counts have no gradient.

    Examples
    --------
    >>> from opforge import nd
    >>> x, one = nd.array([[1, 2]]), nd.array([1])
    >>> print(nd.random_pdf_generalized_negative_binomial(x, one, one).asnumpy().round(4))
    [[0.25  0.125]]
    """

    name = "_random_pdf_generalized_negative_binomial"
    aliases = ("random_pdf_generalized_negative_binomial",)
    arguments = ("sample", "mu", "alpha")
    argument_docs = {
        "sample": "counts, floating",
        "mu": "means; shape of the first axes of sample",
        "alpha": "dispersions; the same shape",
    }

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the probability."""
        mu, alpha = parameters
        odds = mu * alpha
        log_p = -F.log1p(odds)
        return _negative_binomial(F, F.BlockGrad(x), 1 / alpha, log_p, F.log(odds) + log_p)


class PdfDirichlet(_Density):
    r"""Return the density of a Dirichlet distribution of vectors along the last axis.

    .. math::

        p(x) = \Gamma\Bigl(\sum_i \alpha_i\Bigr) \prod_i \frac{x_i^{\alpha_i - 1}}{\Gamma(\alpha_i)}

    Examples
    --------
    >>> from opforge import nd
    >>> p = nd.random_pdf_dirichlet(nd.array([[0.5, 0.5], [0.1, 0.9]]), nd.array([2, 2]))
    >>> print(p.asnumpy().round(4))
    [1.5  0.54]
    """

    name = "_random_pdf_dirichlet"
    aliases = ("random_pdf_dirichlet",)
    arguments = ("sample", "alpha")
    argument_docs = {
        "sample": "(..., n), floating: positive numbers whose sum is 1",
        "alpha": "(..., n), concentrations; the first axes of sample and the last one",
    }
    event_axes = 1

    def logarithm(self, F: Any, x: Any, *parameters: Any) -> Any:
        """Return the logarithm of the density."""
        (alpha,) = parameters
        terms = F.sum((alpha - 1) * F.log(x) - F.gammaln(alpha), axis=-1)
        return terms + F.gammaln(F.sum(alpha, axis=-1))
