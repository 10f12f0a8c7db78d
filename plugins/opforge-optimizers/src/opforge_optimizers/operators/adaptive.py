"""Update operators that adapt the step size of each element."""

from typing import Any

from opforge.plugin_api import Attribute

from ..optimizers.adaptive import ftml_corrections
from .update import Moments, Update

__all__ = [
    "AdamUpdate",
    "FtmlUpdate",
    "FtrlUpdate",
    "RmspropUpdate",
    "RmspropalexUpdate",
    "SparseAdagradUpdate",
]


class AdamUpdate(Moments, Update):
    r"""Update a weight by Adam; `mean` and `var` are updated.

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
    lazy_update = Attribute(bool, default=True, doc="Ignored; gradients are dense.")


class FtmlUpdate(Moments, Update):
    r"""Update a weight by following the moving leader; `d`, `v` and `z` are updated.

    .. math::

        \begin{aligned}
        v & \leftarrow \beta_2 v + (1 - \beta_2) g^2 \\
        d_t & = \frac{1 - \beta_1^t}{\eta} \left(\sqrt{\frac{v}{1 - \beta_2^t}} + \epsilon\right) \\
        z & \leftarrow \beta_1 z + (1 - \beta_1) g - (d_t - \beta_1 d_{t-1}) w \\
        w & \leftarrow - z / d_t
        \end{aligned}

    Examples
    --------
    >>> from opforge import nd
    >>> weight, states = nd.array([1]), [nd.zeros(1), nd.zeros(1), nd.zeros(1)]
    >>> w = nd.ftml_update(weight, nd.array([2]), *states, lr=0.5, t=1, out=weight)
    >>> weight.asnumpy().tolist()
    [0.5]
    """

    name = "ftml_update"
    rule = "ftml"
    arguments = ("weight", "grad", "d", "v", "z")
    beta1 = Attribute(float, default=0.6, doc="Decay rate of z.")
    epsilon = Attribute(float, default=1e-8, doc="Constant added to the root of v.")
    t = Attribute(int, ge=1, doc="Number of updates, including this one.")
    clip_grad = Attribute(
        float, default=-1.0, doc="Limit of the gradient's absolute values; negative: no limit."
    )
    clip_gradient = None

    def clip(self) -> float:
        """Return the limit of the gradients; negative for no limit."""
        return float(self.clip_grad)

    def corrections(self) -> list[tuple[float, float]]:
        """Return the coefficients that depend on the number of updates."""
        return [ftml_corrections(self.beta1, self.beta2, self.t, self.lr)]


class FtrlUpdate(Update):
    r"""Update a weight by following the regularized leader; `z` and `n` are updated.

    .. math::

        \begin{aligned}
        z & \leftarrow z + g - \left(\sqrt{n + g^2} - \sqrt{n}\right) w / \eta \\
        n & \leftarrow n + g^2 \\
        w & \leftarrow \frac{\mathrm{sign}(z) \lambda_1 - z}{(\beta + \sqrt{n}) / \eta + \lambda}
            \text{ where } |z| > \lambda_1, \text{ else } 0
        \end{aligned}

    Examples
    --------
    >>> from opforge import nd
    >>> weight, z, n = nd.zeros(2), nd.zeros(2), nd.zeros(2)
    >>> w = nd.ftrl_update(weight, nd.array([3, 0.25]), z, n, lr=1, lamda1=0.5, out=weight)
    >>> weight.asnumpy().tolist()
    [-0.625, 0.0]
    """

    name = "ftrl_update"
    rule = "ftrl"
    arguments = ("weight", "grad", "z", "n")
    lamda1 = Attribute(float, default=0.01, doc="L1 penalty.")
    beta = Attribute(float, default=1.0, doc="Constant added to the root of n.")
    wd = Attribute(float, default=0.0, doc="L2 penalty.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"a": self.beta, "epsilon": self.lamda1}


class _RmspropBase(Update):
    gamma1 = Attribute(float, default=0.95, doc="Decay rate of the running means.")
    epsilon = Attribute(float, default=1e-8, doc="Constant added to the mean square.")
    clip_weights = Attribute(
        float, default=-1.0, doc="Limit of the weight's absolute values; negative: no limit."
    )

    def coefficients(self) -> dict[str, Any]:
        return {"a": self.gamma1, "epsilon": self.epsilon, "limit": max(self.clip_weights, 0.0)}


class RmspropUpdate(_RmspropBase):
    r"""Update a weight by RMSProp; `n` is updated.

    .. math::

        n \leftarrow \gamma_1 n + (1 - \gamma_1) g^2, \qquad
        w \leftarrow w - \eta \frac{g}{\sqrt{n + \epsilon}}

    Weight decay is added before the gradient is clipped.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, n = nd.array([1]), nd.zeros(1)
    >>> w = nd.rmsprop_update(weight, nd.array([2]), n, lr=0.1, gamma1=0.75, out=weight)
    >>> print(weight.asnumpy().round(3), n.asnumpy())
    [0.8] [1.]
    """

    name = "rmsprop_update"
    rule = "rmsprop"
    arguments = ("weight", "grad", "n")


class RmspropalexUpdate(_RmspropBase):
    r"""Update a weight by centered RMSProp with momentum; `n`, `g` and `delta` are updated.

    .. math::

        \begin{aligned}
        n & \leftarrow \gamma_1 n + (1 - \gamma_1) g^2 \\
        \bar{g} & \leftarrow \gamma_1 \bar{g} + (1 - \gamma_1) g \\
        \delta & \leftarrow \gamma_2 \delta - \eta \frac{g}{\sqrt{n - \bar{g}^2 + \epsilon}} \\
        w & \leftarrow w + \delta
        \end{aligned}

    Examples
    --------
    >>> from opforge import nd
    >>> weight, states = nd.array([1]), [nd.zeros(1), nd.zeros(1), nd.zeros(1)]
    >>> w = nd.rmspropalex_update(weight, nd.array([2]), *states, lr=0.1, gamma1=0.5, out=weight)
    >>> print(weight.asnumpy().round(3), states[0].asnumpy(), states[1].asnumpy())
    [0.8] [2.] [1.]
    """

    name = "rmspropalex_update"
    rule = "rmsprop"
    arguments = ("weight", "grad", "n", "g", "delta")
    gamma2 = Attribute(float, default=0.9, doc="Decay rate of delta.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return super().coefficients() | {"b": self.gamma2}


class SparseAdagradUpdate(Update):
    r"""Update a weight by AdaGrad; `history` is updated.

    .. math::

        h \leftarrow h + g^2, \qquad
        w \leftarrow w - \eta \left(\frac{g}{\sqrt{h + \epsilon}} + \lambda w\right)

    Examples
    --------
    >>> from opforge import nd
    >>> weight, history = nd.array([1]), nd.zeros(1)
    >>> w = nd.sparse.adagrad_update(weight, nd.array([2]), history, lr=0.5, out=weight)
    >>> weight.asnumpy().tolist(), history.asnumpy().tolist()
    ([0.5], [4.0])
    """

    name = "_sparse_adagrad_update"
    rule = "adagrad"
    arguments = ("weight", "grad", "history")
    epsilon = Attribute(float, default=1e-7, doc="Constant added to the history.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"epsilon": self.epsilon}
