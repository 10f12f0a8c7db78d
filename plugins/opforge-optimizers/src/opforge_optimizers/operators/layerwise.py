"""Update operators that adapt the step size of each layer: LAMB, LARS and the AdaGrad of rows."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from opforge.plugin_api import (
    Attribute,
    F,
    Floats,
    OperatorProp,
    Shape,
    ShapeError,
    kernels,
)

from ..optimizers.layerwise import bias_corrections, scaled_rates, trust_ratio
from .update import Moments, MultiUpdate, Update, common_shape, take_steps

__all__ = [
    "GroupAdagradUpdate",
    "LambUpdatePhase1",
    "LambUpdatePhase2",
    "MpLambUpdatePhase1",
    "MpLambUpdatePhase2",
    "MultiLambUpdate",
    "MultiLars",
    "MultiMpLambUpdate",
]

Pairs = list[tuple[float, float]]


class LambUpdatePhase1(Moments, Update):
    r"""Return the direction of a step of LAMB; `mean` and `var` are updated.

    .. math::

        \begin{aligned}
        m & \leftarrow \beta_1 m + (1 - \beta_1) g \\
        v & \leftarrow \beta_2 v + (1 - \beta_2) g^2 \\
        y & = \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon} + \lambda w
        \end{aligned}

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> print(nd.lamb_update_phase1(weight, nd.array([2]), mean, var, t=1, wd=0.5).asnumpy())
    [1.4999995]
    """

    name = "lamb_update_phase1"
    rule = "lamb_direction"
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var")
    epsilon = Attribute(float, default=1e-6, doc="Constant added to the denominator.")
    t = Attribute(int, ge=1, doc="Number of updates, including this one.")
    bias_correction = Attribute(
        bool, default=True, doc="Whether to divide the moments by ``1 - beta**t``."
    )
    wd = Attribute(float, doc="Weight decay.")
    lr = None

    def rate(self) -> float:
        """Return the learning rate that the rule is given."""
        return 0.0

    def corrections(self) -> Pairs:
        """Return the coefficients that depend on the number of updates."""
        if not self.bias_correction:
            return [(1.0, 1.0)]
        return [bias_corrections(self.beta1, self.beta2, self.t)]


class MpLambUpdatePhase1(LambUpdatePhase1):
    """Return the direction of a step of LAMB for a 16-bit weight with a float32 copy, in float32.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, grad = nd.array([1], dtype="float16"), nd.array([2], dtype="float16")
    >>> arrays = [weight, grad, nd.zeros(1), nd.zeros(1), nd.array([1])]
    >>> print(nd.mp_lamb_update_phase1(*arrays, t=1, wd=0.5).asnumpy())
    [1.4999995]
    """

    name = "mp_lamb_update_phase1"
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var", "weight32")
    argument_dtypes = {"mean": ("float32",), "var": ("float32",), "weight32": ("float32",)}
    output_dtypes = {"output": "float32"}

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the direction from the copy."""
        _, grad, mean, var, copy = in_data
        super().compute([copy, grad, mean, var], out_data, req, is_train)


class LambUpdatePhase2(OperatorProp):
    r"""Return a weight after a step of LAMB, given the direction `g` and two norms.

    .. math:: y = w - \eta \frac{r_1}{r_2} g

    r1 and r2 are the norms of the weight, limited by the bounds, and of `g`; if one is 0, the
    quotient is 1.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, g = nd.array([3, 4]), nd.array([0, 2])
    >>> arrays = [weight, g, weight.norm(), g.norm()]
    >>> nd.lamb_update_phase2(*arrays, lr=0.5).asnumpy().tolist()
    [3.0, 1.5]
    """

    name = "lamb_update_phase2"
    category = "update"
    dtypes = ("floating",)
    arguments: ClassVar[Sequence[str]] = ("weight", "g", "r1", "r2")
    argument_dtypes = {"r1": ("floating",), "r2": ("floating",)}
    differentiable = False
    saves = ()
    lr = Attribute(float, doc="Learning rate.")
    lower_bound = Attribute(float, default=-1.0, doc="Lower bound of r1; none if negative.")
    upper_bound = Attribute(float, default=-1.0, doc="Upper bound of r1; none if negative.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight; the norms have one element."""
        weight, g, r1, r2, *copies = in_shape
        known = tuple(weight or g or (copies[0] if copies else ()))
        for name, shape in zip(self.arguments, in_shape, strict=True):
            if name not in ("r1", "r2") and shape and tuple(shape) != known:
                raise ShapeError(
                    f"operator '{self.name}': '{name}' has shape {tuple(shape)}, expected {known}"
                )
        return [known, known, r1 or (1,), r2 or (1,), *[known] * len(copies)], [known], []

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Any]:
        """Return the shape of the output for all arrays but the norms."""
        known = out_shapes[0]
        names = zip(self.arguments, in_shapes, strict=True)
        return [shape if name in ("r1", "r2") else shape or known for name, shape in names]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step, that of the float32 copy if there is one."""
        weight, g, r1, r2, *copy = in_data
        rate = self.lr * self.ratio(r1, r2)
        take_steps("sgd", [[weight, g, *copy]], out_data, req, [rate], [0.0], bool(copy))

    def ratio(self, r1: Any, r2: Any) -> float:
        """Return the quotient of the norms."""
        norms = []
        for name, array in (("r1", r1), ("r2", r2)):
            if array.size != 1:
                raise ShapeError(
                    f"operator '{self.name}': '{name}' has shape {array.shape}, expected one "
                    "element"
                )
            norms.append(float(F.array(array).asnumpy().reshape(())))
        return trust_ratio(norms[0], norms[1], *_bounds(self))


class MpLambUpdatePhase2(LambUpdatePhase2):
    """Update the float32 copy of a 16-bit weight by `lamb_update_phase2`, and return it rounded.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, g = nd.array([3, 4]), nd.array([0, 2])
    >>> arrays = [weight.astype("float16"), g, weight.norm(), g.norm(), weight]
    >>> nd.mp_lamb_update_phase2(*arrays, lr=0.5).asnumpy().tolist(), weight.asnumpy().tolist()
    ([3.0, 1.5], [3.0, 1.5])
    """

    name = "mp_lamb_update_phase2"
    arguments: ClassVar[Sequence[str]] = ("weight", "g", "r1", "r2", "weight32")
    argument_dtypes = {
        "g": ("float32",),
        "r1": ("float32",),
        "r2": ("float32",),
        "weight32": ("float32",),
    }


class MultiLambUpdate(Moments, MultiUpdate):
    """Update several weights by LAMB, `lamb_update_phase1` and `lamb_update_phase2`.

    The arrays are weight, gradient, mean and variance of each weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight = nd.array([3, 4])
    >>> arrays = [weight, nd.array([1, 1]), nd.zeros(2), nd.zeros(2)]
    >>> settings = {"learning_rates": 0.1, "wds": 0, "step_count": 1}
    >>> print(nd._internal._multi_lamb_update(*arrays, **settings).asnumpy().round(3))
    [2.646 3.646]
    """

    name = "_multi_lamb_update"
    rule = "lamb_direction"
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var")
    epsilon = Attribute(float, default=1e-6, doc="Constant added to the denominator.")
    lower_bound = Attribute(float, default=-1.0, doc="Lower bound of norms; none if negative.")
    upper_bound = Attribute(float, default=-1.0, doc="Upper bound of norms; none if negative.")
    bias_correction = Attribute(
        bool, default=True, doc="Whether to divide the moments by ``1 - beta**t``."
    )
    learning_rates = Attribute(Floats, doc="Learning rate of each weight.")
    step_count = Attribute(Shape, doc="Number of updates of each weight, including this one.")
    num_tensors = Attribute(int, default=1, ge=1, counts=True, doc="Number of weights.")
    lrs = None
    num_weights = None

    def count(self) -> int:
        """Return the number of weights."""
        return int(self.num_tensors)

    def per_weight(self) -> Any:
        """Return the attributes that have an element for each weight."""
        return ("learning_rates", "wds", "step_count")

    def corrections(self) -> Pairs:
        """Return the coefficients that depend on the number of updates."""
        if not self.bias_correction:
            return [(1.0, 1.0)] * self.count()
        return [bias_corrections(self.beta1, self.beta2, t) for t in self.step_count]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the directions, then the steps."""
        groups = self.groups(in_data)
        weights = [group[-1 if self.has_copy else 0] for group in groups]
        steps = [F.empty(w.shape, w.context, w.dtype) for w in weights]
        kernels.update_weights(
            self.rule,
            weights,
            [group[1] for group in groups],
            [tuple(group[2:4]) for group in groups],
            [0.0] * len(groups),
            list(self.wds),
            self.rescale_grad,
            self.clip(),
            outs=steps,
            corrections=self.corrections(),
            **self.coefficients(),
        )
        rates = scaled_rates(self.learning_rates, weights, steps, *_bounds(self))
        moved = [[group[0], step, *group[4:]] for group, step in zip(groups, steps, strict=True)]
        take_steps("sgd", moved, out_data, req, rates, [0.0] * len(rates), self.has_copy)


class MultiMpLambUpdate(MultiLambUpdate):
    """Update several 16-bit weights with float32 copies by LAMB.

    The arrays are weight, gradient, mean, variance and copy of each weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, copy = nd.array([3, 4], dtype="float16"), nd.array([3, 4])
    >>> arrays = [weight, nd.array([1, 1], dtype="float16"), nd.zeros(2), nd.zeros(2), copy]
    >>> settings = {"learning_rates": 0.1, "wds": 0, "step_count": 1}
    >>> w = nd._internal._multi_mp_lamb_update(*arrays, out=weight, **settings)
    >>> print(copy.asnumpy().round(3))
    [2.646 3.646]
    """

    name = "_multi_mp_lamb_update"
    has_copy = True
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mean", "var", "weight32")


class MultiLars(OperatorProp):
    r"""Return learning rates that depend on the norms of layers (LARS).

    .. math::

        y = \eta \frac{\eta_0 \lVert w \rVert}{
            \lVert s g \rVert + \lambda \lVert w \rVert + \epsilon}

    s is `rescale_grad`. Where a norm is 0, the learning rate is returned unchanged.

    Examples
    --------
    >>> from opforge import nd
    >>> lrs, squares, zeros = nd.array([1, 1]), nd.array([4, 0]), nd.zeros(2)
    >>> nd.multi_lars(lrs, squares, nd.array([1, 1]), zeros, eta=0.5, eps=0).asnumpy().tolist()
    [1.0, 1.0]
    """

    name = "multi_lars"
    category = "update"
    dtypes = ("float32",)
    arguments = ("lrs", "weights_sum_sq", "grads_sum_sq", "wds")
    differentiable = False
    saves = ()
    attrs: ClassVar[Any] = {"FElementwiseShape": True}
    eta = Attribute(float, doc="Factor of the quotient.")
    eps = Attribute(float, doc="Constant added to the denominator.")
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradients.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the learning rates, which all arrays have."""
        known = common_shape(self.name, self.arguments, in_shape)
        return [known] * len(in_shape), [known], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the rates."""
        lrs, weights, grads, wds = (F.array(x).asnumpy().astype("float64") for x in in_data)
        sizes, slopes = np.sqrt(weights), np.sqrt(grads) * self.rescale_grad
        with np.errstate(divide="ignore", invalid="ignore"):
            factors = self.eta * sizes / (slopes + wds * sizes + self.eps)
        rates = np.where((sizes > 0) & (grads > 0), lrs * factors, lrs)
        kernels.cast(F.array(rates, ctx=out_data[0].context), out_data[0], req[0])


class GroupAdagradUpdate(OperatorProp):
    r"""Update a matrix by AdaGrad with one step size for each row; `history` is updated.

    .. math::

        h_i \leftarrow h_i + \frac{1}{n} \sum_j g_{ij}^2, \qquad
        w_{ij} \leftarrow w_{ij} - \eta \frac{g_{ij}}{\sqrt{h_i + \epsilon}}

    Examples
    --------
    >>> from opforge import nd
    >>> weight, history = nd.zeros((1, 2)), nd.zeros((1, 1))
    >>> w = nd.contrib.group_adagrad_update(weight, nd.array([[3, 4]]), history, lr=1, out=weight)
    >>> history.asnumpy().tolist()
    [[12.5]]
    """

    name = "_contrib_group_adagrad_update"
    category = "update"
    dtypes = ("floating",)
    arguments = ("weight", "grad", "history")
    differentiable = False
    saves = ()
    lr = Attribute(float, doc="Learning rate.")
    rescale_grad = Attribute(float, default=1.0, doc="Factor of the gradient.")
    clip_gradient = Attribute(
        float, default=-1.0, doc="Limit of its absolute values; negative: no limit."
    )
    epsilon = Attribute(float, default=1e-5, doc="Constant added to the history.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the weight; the history has one element for each row."""
        weight, grad, history = (tuple(shape or ()) for shape in in_shape)
        known = weight or grad
        if known and (len(known) != 2 or (grad or known) != known):
            raise ShapeError(
                f"operator '{self.name}': 'weight' has shape {weight} and 'grad' {grad}, expected "
                "equal matrices"
            )
        rows = (known[0], 1) if known else history
        if history and history != rows:
            raise ShapeError(
                f"operator '{self.name}': 'history' has shape {history}, expected {rows}: one "
                "element for each row of the weight"
            )
        return [known, known, rows], [known], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute the step."""
        weight, grad, history = (F.array(x, dtype=x.dtype) for x in in_data)
        grad = grad * self.rescale_grad
        if self.clip_gradient >= 0:
            grad = F.clip(grad, -self.clip_gradient, self.clip_gradient)
        total = history + (grad * grad).mean(axis=1, keepdims=True)
        kernels.cast(total, in_data[2], "write")
        kernels.cast(weight - self.lr * grad / (total + self.epsilon).sqrt(), out_data[0], req[0])


def _bounds(prop: Any) -> tuple[float | None, float | None]:
    """Return the bounds of norms; None for none."""
    lower, upper = prop.lower_bound, prop.upper_bound
    return lower if lower >= 0 else None, upper if upper >= 0 else None
