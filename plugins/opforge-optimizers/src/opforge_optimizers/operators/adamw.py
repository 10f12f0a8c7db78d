"""Update operators of Adam with decoupled weight decay."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute, F, Floats, ShapeError, kernels

from .update import Moments, MultiUpdate, Update, take_steps

__all__ = [
    "AdamwUpdate",
    "MpAdamwUpdate",
    "MultiAdamwUpdate",
    "MultiMpAdamwUpdate",
]


class AdamwUpdate(Moments, Update):
    r"""Update a weight by Adam with decoupled weight decay; `mean` and `var` are updated.

    .. math::

        \begin{aligned}
        m & \leftarrow \beta_1 m + (1 - \beta_1) g \\
        v & \leftarrow \beta_2 v + (1 - \beta_2) g^2 \\
        w & \leftarrow w - \eta_t \left(\eta \frac{m}{\sqrt{v} + \epsilon} + \lambda w\right)
        \end{aligned}

    Nothing is changed if `rescale_grad`, an array of one element, is 0, infinite or NaN.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> w = nd.contrib.adamw_update(
    ...     weight, nd.array([2]), mean, var, nd.array([1]), lr=0.1, eta=1, wd=1, out=weight
    ... )
    >>> print(weight.asnumpy().round(3))
    [-0.316]
    """

    name = "_adamw_update"
    rule = "adamw"
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var", "rescale_grad")
    argument_dtypes = {"rescale_grad": ("float32", "float64")}
    eta = Attribute(float, doc="Factor of the learning rate and of the weight decay.")
    wd = Attribute(float, default=0.0, doc="Decoupled weight decay.")
    rescale_grad = None
    attrs: ClassVar[Any] = {}

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight; `rescale_grad` has one element."""
        shapes, outputs, states = super().infer_shape(in_shape[:-1])
        return [*shapes, in_shape[-1] or (1,)], outputs, states

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step, unless the factor of the gradient is not usable."""
        *arrays, factor = in_data
        rates, decays = [self.eta * self.lr], [self.eta * self.wd]
        _take_adamw_steps(self, [arrays], factor, out_data, req, rates, decays)


class MpAdamwUpdate(AdamwUpdate):
    """Update the float32 copy of a 16-bit weight by `_adamw_update`, and return it rounded.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, grad = nd.array([1], dtype="float16"), nd.array([2], dtype="float16")
    >>> arrays = [weight, grad, nd.zeros(1), nd.zeros(1), nd.array([1]), nd.array([1])]
    >>> print(nd.contrib.mp_adamw_update(*arrays, lr=0.1, eta=1).asnumpy())
    [0.6836]
    """

    name = "_mp_adamw_update"
    has_copy = True
    arguments: ClassVar[Sequence[str]] = (
        "weight",
        "grad",
        "mean",
        "var",
        "weight32",
        "rescale_grad",
    )
    argument_dtypes = {
        "mean": ("float32",),
        "var": ("float32",),
        "weight32": ("float32",),
        "rescale_grad": ("float32",),
    }


class MultiAdamwUpdate(Moments, MultiUpdate):
    """Update several weights by `_adamw_update`.

    The arrays are weight, gradient, mean and variance of each weight, then `rescale_grad`.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.array([1])
    >>> arrays = [weight, nd.array([2]), nd.zeros(1), nd.zeros(1), nd.array([1])]
    >>> w = nd._internal._multi_adamw_update(*arrays, lrs=0.1, wds=1, etas=1, out=weight)
    >>> print(weight.asnumpy().round(3))
    [-0.316]
    """

    name = "_multi_adamw_update"
    rule = "adamw"
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var")
    etas = Attribute(Floats, doc="Factors of the learning rate and of the weight decay.")
    rescale_grad = None

    def per_weight(self) -> Any:
        """Return the attributes that have an element for each weight."""
        return ("lrs", "wds", "etas")

    def last_arguments(self) -> list[str]:
        """Return the names of the arrays after those of the weights."""
        return ["rescale_grad"]

    def rates_and_decays(self, in_data: Any) -> tuple[list[float], list[float]]:
        """Return the learning rate and the weight decay of each weight, times its factor."""
        rates, decays = (
            [eta * value for eta, value in zip(self.etas, values, strict=True)]
            for values in (self.lrs, self.wds)
        )
        return rates, decays

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the steps, unless the factor of the gradients is not usable."""
        groups, factor = self.groups(in_data), in_data[-1]
        _take_adamw_steps(self, groups, factor, out_data, req, *self.rates_and_decays(in_data))


class MultiMpAdamwUpdate(MultiAdamwUpdate):
    """Update several 16-bit weights with float32 copies by `_mp_adamw_update`.

    The arrays are weight, gradient, mean, variance and copy of each weight, then `rescale_grad`.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, grad = nd.array([1], dtype="float16"), nd.array([2], dtype="float16")
    >>> arrays = [weight, grad, nd.zeros(1), nd.zeros(1), nd.array([1]), nd.array([1])]
    >>> print(nd._internal._multi_mp_adamw_update(*arrays, lrs=0.1, wds=0, etas=1).asnumpy())
    [0.6836]
    """

    name = "_multi_mp_adamw_update"
    has_copy = True
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var", "weight32")


def _take_adamw_steps(
    prop: Any,
    groups: Any,
    factor: Any,
    out_data: Any,
    req: Any,
    rates: list[float],
    decays: list[float],
) -> None:
    """Take the steps of weights; if the factor of the gradients is not usable, return them."""
    rescale = usable_factor(prop.name, factor)
    if rescale is None:
        for group, out, how in zip(groups, out_data, req, strict=True):
            kernels.cast(group[-1 if prop.has_copy else 0], out, how)
        return
    take_steps(
        prop.rule,
        groups,
        out_data,
        req,
        rates,
        decays,
        prop.has_copy,
        rescale=rescale,
        clip=prop.clip(),
        **prop.coefficients(),
    )


def usable_factor(operator: str, array: Any) -> float | None:
    """Return the element of `rescale_grad`; None if it is 0, infinite or NaN.

    Parameters
    ----------
    operator : str
        For the error.
    array : NDArray

    Raises
    ------
    ShapeError
        The array does not have one element.
    """
    if array.size != 1:
        raise ShapeError(
            f"operator '{operator}': 'rescale_grad' has shape {array.shape}, expected one element"
        )
    factor = float(F.array(array).asnumpy().reshape(()))
    return factor if factor and math.isfinite(factor) else None
