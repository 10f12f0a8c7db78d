"""Steps of optimizers; call them with ``out=weight``. The states are changed in place."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..native import calls
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, scratch

__all__: list[str] = []


class _Update(StdOperator):
    category = "update"
    attrs = {"FElementwiseShape": True}
    arguments: ClassVar[Sequence[str]] = ("weight", "grad")
    differentiable = False
    lr = Attribute(float, doc="Learning rate.")
    wd = Attribute(float, default=0.0, doc="Weight decay: its multiple of the weight is added.")
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradient.")
    clip_gradient = Attribute(float, default=-1.0, doc="Limit of its elements; negative: none.")
    lazy_update = Attribute(bool, default=True, doc="Accepted; gradients are dense.")

    #: Name of the native rule.
    rule: ClassVar[str]

    def coefficients(self) -> dict[str, float]:
        """Return what the rule has beside rate, decay, factor and limit of the gradient."""
        return {}

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad, *states = in_data
        out, how = out_data[0], req[0]
        target = out if how in {"write", "inplace"} else scratch(out, out.shape)
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
            **self.coefficients(),
        )
        if target is not out:
            calls.unary("identity", target, out, how)


class SgdUpdate(_Update):
    r"""Step down the gradient.

    .. math:: w \leftarrow w - \eta \, (g + \lambda w)
    """

    name = "sgd_update"
    rule = "sgd"


class SgdMomUpdate(_Update):
    r"""Step down the gradient with momentum; `mom` is changed.

    .. math:: m \leftarrow \mu m - \eta \, (g + \lambda w), \qquad w \leftarrow w + m
    """

    name = "sgd_mom_update"
    rule = "sgd"
    arguments = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Share of the last step that is kept.")

    def coefficients(self) -> dict[str, float]:
        """Return the momentum."""
        return {"a": self.momentum}


class AdamUpdate(_Update):
    r"""Step by moments of the gradient; `mean` and `var` are changed.

    .. math::

        \begin{aligned}
        m & \leftarrow \beta_1 m + (1 - \beta_1) g \\
        v & \leftarrow \beta_2 v + (1 - \beta_2) g^2 \\
        w & \leftarrow w - \eta \frac{m}{\sqrt{v} + \epsilon}
        \end{aligned}

    Weight decay is added before the gradient is clipped.
    """

    name = "adam_update"
    rule = "adam"
    arguments = ("weight", "grad", "mean", "var")
    beta1 = Attribute(float, default=0.9, doc="Share of the first moment that is kept.")
    beta2 = Attribute(float, default=0.999, doc="Share of the second moment that is kept.")
    epsilon = Attribute(float, default=1e-8, doc="Added to the divisor.")

    def coefficients(self) -> dict[str, float]:
        """Return the moments' shares and what is added to the divisor."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}
