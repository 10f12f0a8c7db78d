"""Update operators of gradient descent, for one weight."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute

from .update import Update

__all__ = [
    "MpNagMomUpdate",
    "MpSgdMomUpdate",
    "MpSgdUpdate",
    "NagMomUpdate",
    "SgdMomUpdate",
    "SgdUpdate",
    "SignsgdUpdate",
    "SignumUpdate",
]


class SgdUpdate(Update):
    r"""Update a weight by stochastic gradient descent.

    .. math:: w \leftarrow w - \eta \, (g + \lambda w)

    Examples
    --------
    >>> from opforge import nd
    >>> nd.sgd_update(nd.array([1, 2]), nd.array([1, -1]), lr=0.5).asnumpy().tolist()
    [0.5, 2.5]
    """

    name = "sgd_update"
    rule = "sgd"
    lazy_update = Attribute(bool, default=True, doc="Ignored; gradients are dense.")


class MpSgdUpdate(SgdUpdate):
    """Update the float32 copy of a 16-bit weight by `sgd_update`, and return it rounded.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, copy = nd.array([1, 2], dtype="float16"), nd.array([1, 2])
    >>> grad = nd.array([1, -1], dtype="float16")
    >>> w = nd.mp_sgd_update(weight, grad, copy, lr=0.5, out=weight)
    >>> weight.asnumpy().tolist(), copy.asnumpy().tolist()
    ([0.5, 2.5], [0.5, 2.5])
    """

    name = "mp_sgd_update"
    has_copy = True
    arguments = ("weight", "grad", "weight32")
    argument_dtypes = {"weight32": ("float32",)}


class SgdMomUpdate(SgdUpdate):
    r"""Update a weight by stochastic gradient descent with momentum; `mom` is updated.

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
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Decay rate of the momentum.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"a": self.momentum}


class MpSgdMomUpdate(SgdMomUpdate):
    """Update the float32 copy of a 16-bit weight by `sgd_mom_update`, and return it rounded.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom, copy = nd.array([1], dtype="float16"), nd.zeros((1,)), nd.array([1])
    >>> grad = nd.array([1], dtype="float16")
    >>> w = nd.mp_sgd_mom_update(weight, grad, mom, copy, lr=0.5, momentum=0.9, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.5], [-0.5])
    """

    name = "mp_sgd_mom_update"
    has_copy = True
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mom", "weight32")
    argument_dtypes = {"mom": ("float32",), "weight32": ("float32",)}


class NagMomUpdate(SgdMomUpdate):
    r"""Update a weight by stochastic gradient descent with Nesterov's momentum.

    .. math::

        s = \eta \, (g + \lambda w), \qquad
        w \leftarrow w + \mu \, (\mu m - s) - s, \qquad
        m \leftarrow \mu m - \eta \, (g + \lambda w)

    As in MXNet, the momentum reads the new weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom = nd.array([1]), nd.zeros((1,))
    >>> w = nd.nag_mom_update(weight, nd.array([1]), mom, lr=0.5, momentum=0.5, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.25], [-0.5])
    """

    name = "nag_mom_update"
    rule = "nag"
    lazy_update = None


class MpNagMomUpdate(NagMomUpdate):
    """Update the float32 copy of a 16-bit weight by `nag_mom_update`, and return it rounded.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom, copy = nd.array([1], dtype="float16"), nd.zeros((1,)), nd.array([1])
    >>> grad = nd.array([1], dtype="float16")
    >>> w = nd.mp_nag_mom_update(weight, grad, mom, copy, lr=0.5, momentum=0.5, out=weight)
    >>> weight.asnumpy().tolist(), copy.asnumpy().tolist()
    ([0.25], [0.25])
    """

    name = "mp_nag_mom_update"
    has_copy = True
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mom", "weight32")
    argument_dtypes = {"mom": ("float32",), "weight32": ("float32",)}


class SignsgdUpdate(Update):
    r"""Move a weight against the sign of its gradient; weight decay is decoupled.

    .. math:: w \leftarrow (1 - \eta \lambda) \, w - \eta \, \mathrm{sign}(g)

    Examples
    --------
    >>> from opforge import nd
    >>> nd.signsgd_update(nd.array([1, 2]), nd.array([3, -0.1]), lr=0.5).asnumpy().tolist()
    [0.5, 2.5]
    """

    name = "signsgd_update"
    rule = "signsgd"
    wd = Attribute(float, default=0.0, doc="Decoupled weight decay.")
    clip_gradient = Attribute(float, default=-1.0, doc="Ignored; only the sign counts.")


class SignumUpdate(Update):
    r"""Move a weight along the sign of its momentum; `mom` is updated.

    .. math::

        m \leftarrow \mu m - (1 - \mu) \, (g + \lambda w), \qquad
        w \leftarrow (1 - \eta \lambda_h) \, w + \eta \, \mathrm{sign}(m)

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom = nd.array([1, 2]), nd.zeros((2,))
    >>> w = nd.signum_update(weight, nd.array([2, -2]), mom, lr=0.5, momentum=0.5, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.5, 2.5], [-1.0, 1.0])
    """

    name = "signum_update"
    rule = "signum"
    arguments: ClassVar[Sequence[str]] = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Decay rate of the momentum.")
    wd_lh = Attribute(float, default=0.0, doc="Decoupled weight decay.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"a": self.momentum, "b": self.wd_lh}
