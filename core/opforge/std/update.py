"""Steps of optimizers; call them with ``out=weight``. The states are changed in place."""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..native import calls
from ..op.attribute import Attribute
from ._operator import StdOperator, scratch

__all__: list[str] = []


class _Update(StdOperator):
    arguments: ClassVar[Sequence[str]] = ("weight", "grad")
    differentiable = False
    lr = Attribute(float, doc="Learning rate.")
    wd = Attribute(float, default=0.0, doc="Weight decay: its multiple of the weight is added.")
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradient.")
    clip_gradient = Attribute(float, default=-1.0, doc="Limit of its elements; negative: none.")
    lazy_update = Attribute(bool, default=True, doc="Accepted; gradients are dense.")

    def decayed(self, weight: Any, grad: Any) -> Any:
        """Return the rescaled, clipped gradient plus weight decay, in new memory."""
        result = scratch(grad, grad.shape)
        calls.binary_scalar("multiply", grad, self.rescale_grad, result)
        if self.clip_gradient >= 0:
            calls.clip(result, -self.clip_gradient, self.clip_gradient, result)
        if self.wd:
            decay = scratch(weight, weight.shape)
            calls.binary_scalar("multiply", weight, self.wd, decay)
            calls.binary("add", result, decay, result)
        return result


class SgdUpdate(_Update):
    """Step down the gradient."""

    name = "sgd_update"

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad = in_data
        step = self.decayed(weight, grad)
        calls.binary_scalar("multiply", step, -self.lr, step)
        calls.binary("add", step, weight, step)
        calls.unary("identity", step, out_data[0], req[0])


class SgdMomUpdate(_Update):
    """Step down the gradient with momentum; `mom` is changed."""

    name = "sgd_mom_update"
    arguments = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Share of the last step that is kept.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad, mom = in_data
        step = self.decayed(weight, grad)
        calls.binary_scalar("multiply", step, -self.lr, step)
        calls.binary_scalar("multiply", mom, self.momentum, mom)
        calls.binary("add", mom, step, mom)
        calls.binary("add", weight, mom, step)
        calls.unary("identity", step, out_data[0], req[0])


class AdamUpdate(_Update):
    """Step by moments of the gradient; `mean` and `var` are changed."""

    name = "adam_update"
    arguments = ("weight", "grad", "mean", "var")
    beta1 = Attribute(float, default=0.9, doc="Share of the first moment that is kept.")
    beta2 = Attribute(float, default=0.999, doc="Share of the second moment that is kept.")
    epsilon = Attribute(float, default=1e-8, doc="Added to the divisor.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad, mean, var = in_data
        step = self.decayed(weight, grad)
        square = scratch(step, step.shape)
        calls.unary("square", step, square)
        _blend(mean, self.beta1, step)
        _blend(var, self.beta2, square)
        calls.unary("sqrt", var, square)
        calls.binary_scalar("add", square, self.epsilon, square)
        calls.binary("divide", mean, square, step)
        calls.binary_scalar("multiply", step, -self.lr, step)
        calls.binary("add", step, weight, step)
        calls.unary("identity", step, out_data[0], req[0])


def _blend(state: Any, share: float, new: Any) -> None:
    """``state = share * state + (1 - share) * new``; `new` is scratch and is changed."""
    calls.binary_scalar("multiply", state, share, state)
    calls.binary_scalar("multiply", new, 1.0 - share, new)
    calls.binary("add", state, new, state)
