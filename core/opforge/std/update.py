"""Update steps of optimizers; call them with ``out=weight``. States are updated in place."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..native import calls
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, scratch

__all__: list[str] = []


class _Update(StdOperator):
    dtypes = ("floating",)
    category = "update"
    attrs = {"FElementwiseShape": True}
    arguments: ClassVar[Sequence[str]] = ("weight", "grad")
    differentiable = False
    lr = Attribute(float, doc="Learning rate.")
    wd = Attribute(
        float, default=0.0, doc="Weight decay; ``wd * weight`` is added to the gradient."
    )
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradient.")
    clip_gradient = Attribute(
        float, default=-1.0, doc="Limit of its absolute values; negative: no limit."
    )
    lazy_update = Attribute(bool, default=True, doc="Ignored; gradients are dense.")

    #: Name of the native update rule.
    rule: ClassVar[str]

    def coefficients(self) -> dict[str, float]:
        """Return the additional coefficients of the rule."""
        return {}

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad, *states = in_data
        out, how = out_data[0], req[0]
        target = out if how in {"write", "inplace"} else scratch(out, out.shape)
        coefficients: dict[str, Any] = self.coefficients()
        calls.update_weights(
            self.rule,
            [weight],
            [grad],
            [tuple(states)],
            [self.lr],
            [self.wd],
            self.rescale_grad,
            self.clip_gradient,
            outs=[target],
            **coefficients,
        )
        if target is not out:
            calls.unary("identity", target, out, how)


class SgdUpdate(_Update):
    r"""Update weights by stochastic gradient descent.

    .. math:: w \leftarrow w - \eta \, (g + \lambda w)

    Examples
    --------
    >>> from opforge import nd
    >>> nd.sgd_update(nd.array([1, 2]), nd.array([1, -1]), lr=0.5).asnumpy().tolist()
    [0.5, 2.5]
    """

    name = "sgd_update"
    rule = "sgd"


class SgdMomUpdate(_Update):
    r"""Update weights by stochastic gradient descent with momentum; `mom` is updated.

    .. math:: m \leftarrow \mu m - \eta \, (g + \lambda w), \qquad w \leftarrow w + m

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom = nd.array([1, 2]), nd.zeros((2,))
    >>> w = nd.sgd_mom_update(weight, nd.array([1, -1]), mom, lr=0.5, momentum=0.9, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.5, 2.5], [-0.5, 0.5])
    """

    name = "sgd_mom_update"
    rule = "sgd"
    arguments = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Decay rate of the momentum.")

    def coefficients(self) -> dict[str, float]:
        """Return the momentum."""
        return {"a": self.momentum}


class AdamUpdate(_Update):
    r"""Update weights by Adam; `mean` and `var` are updated.

    .. math::

        \begin{aligned}
        m & \leftarrow \beta_1 m + (1 - \beta_1) g \\
        v & \leftarrow \beta_2 v + (1 - \beta_2) g^2 \\
        w & \leftarrow w - \eta \frac{m}{\sqrt{v} + \epsilon}
        \end{aligned}

    Weight decay is added before the gradient is clipped.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mean, var = nd.array([1]), nd.zeros((1,)), nd.zeros((1,))
    >>> w = nd.adam_update(weight, nd.array([2]), mean, var, lr=0.1, out=weight)
    >>> print(weight.asnumpy().round(3), mean.asnumpy().round(3), var.asnumpy().round(3))
    [0.684] [0.2] [0.004]
    """

    name = "adam_update"
    rule = "adam"
    arguments = ("weight", "grad", "mean", "var")
    beta1 = Attribute(float, default=0.9, doc="Decay rate of the first moment.")
    beta2 = Attribute(float, default=0.999, doc="Decay rate of the second moment.")
    epsilon = Attribute(float, default=1e-8, doc="Constant added to the denominator.")

    def coefficients(self) -> dict[str, float]:
        """Return the decay rates and epsilon."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}
