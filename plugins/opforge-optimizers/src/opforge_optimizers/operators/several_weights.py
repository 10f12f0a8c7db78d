"""Update operators of gradient descent, for several weights."""

from collections.abc import Sequence
from typing import Any, ClassVar

from opforge.plugin_api import Attribute

from .update import MultiUpdate, PreloadedUpdate

__all__ = [
    "MultiMpSgdMomUpdate",
    "MultiMpSgdUpdate",
    "MultiSgdMomUpdate",
    "MultiSgdUpdate",
    "PreloadedMultiMpSgdMomUpdate",
    "PreloadedMultiMpSgdUpdate",
    "PreloadedMultiSgdMomUpdate",
    "PreloadedMultiSgdUpdate",
]


class MultiSgdUpdate(MultiUpdate):
    """Update several weights by `sgd_update`.

    The arrays are weight and gradient of the first weight, then those of the second, and so on.

    Examples
    --------
    >>> from opforge import nd
    >>> first, second = nd.array([1, 2]), nd.array([3])
    >>> arrays = [first, nd.ones(2), second, nd.ones(1)]
    >>> rates = {"lrs": (0.5, 1), "wds": (0, 0)}
    >>> w = nd.multi_sgd_update(*arrays, num_weights=2, out=[first, second], **rates)
    >>> first.asnumpy().tolist(), second.asnumpy().tolist()
    ([0.5, 1.5], [2.0])
    """

    name = "multi_sgd_update"
    rule = "sgd"


class MultiMpSgdUpdate(MultiSgdUpdate):
    """Update several 16-bit weights with float32 copies by `mp_sgd_update`.

    The arrays are weight, gradient and copy of each weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, copy = nd.array([1], dtype="float16"), nd.array([1])
    >>> grad = nd.array([1], dtype="float16")
    >>> w = nd.multi_mp_sgd_update(weight, grad, copy, lrs=0.5, wds=0, out=weight)
    >>> weight.asnumpy().tolist(), copy.asnumpy().tolist()
    ([0.5], [0.5])
    """

    name = "multi_mp_sgd_update"
    has_copy = True
    group = ("weight", "grad", "weight32")


class MultiSgdMomUpdate(MultiSgdUpdate):
    """Update several weights by `sgd_mom_update`.

    The arrays are weight, gradient and momentum of each weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom = nd.array([1, 2]), nd.zeros(2)
    >>> arrays = [weight, nd.array([1, -1]), mom]
    >>> w = nd.multi_sgd_mom_update(*arrays, lrs=0.5, wds=0, momentum=0.9, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.5, 2.5], [-0.5, 0.5])
    """

    name = "multi_sgd_mom_update"
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Decay rate of the momentum.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"a": self.momentum}


class MultiMpSgdMomUpdate(MultiSgdMomUpdate):
    """Update several 16-bit weights with float32 copies by `mp_sgd_mom_update`.

    The arrays are weight, gradient, momentum and copy of each weight.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom, copy = nd.array([1], dtype="float16"), nd.zeros(1), nd.array([1])
    >>> arrays = [weight, nd.array([1], dtype="float16"), mom, copy]
    >>> w = nd.multi_mp_sgd_mom_update(*arrays, lrs=0.5, wds=0, momentum=0.9, out=weight)
    >>> weight.asnumpy().tolist(), mom.asnumpy().tolist()
    ([0.5], [-0.5])
    """

    name = "multi_mp_sgd_mom_update"
    has_copy = True
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mom", "weight32")


class PreloadedMultiSgdUpdate(PreloadedUpdate):
    """Update several weights by `sgd_update`, with learning rates and decays in arrays.

    The arrays are those of `multi_sgd_update`, then the learning rates and the weight decays.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, rates, decays = nd.array([1, 2]), nd.array([0.5]), nd.array([0])
    >>> w = nd.preloaded_multi_sgd_update(weight, nd.ones(2), rates, decays, out=weight)
    >>> weight.asnumpy().tolist()
    [0.5, 1.5]
    """

    name = "preloaded_multi_sgd_update"
    rule = "sgd"


class PreloadedMultiMpSgdUpdate(PreloadedMultiSgdUpdate):
    """Update several weights by `mp_sgd_update`, with learning rates and decays in arrays.

    The arrays are those of `multi_mp_sgd_update`, then the learning rates and the weight decays.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, grad = nd.array([1], dtype="float16"), nd.array([1], dtype="float16")
    >>> arrays = [weight, grad, nd.array([1]), nd.array([0.5]), nd.array([0])]
    >>> nd.preloaded_multi_mp_sgd_update(*arrays).asnumpy().tolist()
    [0.5]
    """

    name = "preloaded_multi_mp_sgd_update"
    has_copy = True
    group = ("weight", "grad", "weight32")


class PreloadedMultiSgdMomUpdate(PreloadedMultiSgdUpdate):
    """Update several weights by `sgd_mom_update`, with learning rates and decays in arrays.

    The arrays are those of `multi_sgd_mom_update`, then the learning rates and the weight decays.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, mom = nd.array([1, 2]), nd.zeros(2)
    >>> arrays = [weight, nd.array([1, -1]), mom, nd.array([0.5]), nd.array([0])]
    >>> nd.preloaded_multi_sgd_mom_update(*arrays, momentum=0.9).asnumpy().tolist()
    [0.5, 2.5]
    """

    name = "preloaded_multi_sgd_mom_update"
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mom")
    momentum = Attribute(float, default=0.0, doc="Decay rate of the momentum.")

    def coefficients(self) -> dict[str, Any]:
        """Return the settings of the rule."""
        return {"a": self.momentum}


class PreloadedMultiMpSgdMomUpdate(PreloadedMultiSgdMomUpdate):
    """Update several weights by `mp_sgd_mom_update`, with learning rates and decays in arrays.

    The arrays are those of `multi_mp_sgd_mom_update`, then the learning rates and the weight
    decays.

    Examples
    --------
    >>> from opforge import nd
    >>> weight, grad = nd.array([1], dtype="float16"), nd.array([1], dtype="float16")
    >>> arrays = [weight, grad, nd.zeros(1), nd.array([1]), nd.array([0.5]), nd.array([0])]
    >>> nd.preloaded_multi_mp_sgd_mom_update(*arrays, momentum=0.9).asnumpy().tolist()
    [0.5]
    """

    name = "preloaded_multi_mp_sgd_mom_update"
    has_copy = True
    group: ClassVar[Sequence[str]] = ("weight", "grad", "mom", "weight32")
