"""Losses: blocks that map predictions and labels to one number per sample."""

from ...base.module_aliases import add_aliases as _add_aliases
from ...op.registry.modules import plugin_attributes as _plugin_attributes
from .base import Loss as Loss
from .base import reshape_like as _reshape_like  # noqa: F401  losses of other packages
from .base import weighted as _apply_weighting  # noqa: F401  import these two from here
from .cross_entropy import KLDivLoss as KLDivLoss
from .cross_entropy import SigmoidBCELoss as SigmoidBCELoss
from .cross_entropy import SigmoidBinaryCrossEntropyLoss as SigmoidBinaryCrossEntropyLoss
from .cross_entropy import SoftmaxCELoss as SoftmaxCELoss
from .cross_entropy import SoftmaxCrossEntropyLoss as SoftmaxCrossEntropyLoss
from .margin import HingeLoss as HingeLoss
from .margin import LogisticLoss as LogisticLoss
from .margin import SquaredHingeLoss as SquaredHingeLoss
from .margin import TripletLoss as TripletLoss
from .regression import HuberLoss as HuberLoss
from .regression import L1Loss as L1Loss
from .regression import L2Loss as L2Loss

__all__ = [
    "HingeLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L2Loss",
    "LogisticLoss",
    "Loss",
    "SigmoidBCELoss",
    "SigmoidBinaryCrossEntropyLoss",
    "SoftmaxCELoss",
    "SoftmaxCrossEntropyLoss",
    "SquaredHingeLoss",
    "TripletLoss",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "loss", __all__)

_add_aliases(__name__)
