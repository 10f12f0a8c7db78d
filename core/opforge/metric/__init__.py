"""Metrics: running averages of prediction quality."""

from ..base.module_aliases import add_aliases as _add_aliases
from ..op.registry.modules import plugin_attributes as _plugin_attributes
from .base import EvalMetric as EvalMetric
from .base import alias as alias
from .base import check_label_shapes as check_label_shapes
from .base import register as register
from .classification import F1 as F1
from .classification import Accuracy as Accuracy
from .classification import TopKAccuracy as TopKAccuracy
from .composite import CompositeEvalMetric as CompositeEvalMetric
from .composite import CustomMetric as CustomMetric
from .composite import create as create
from .composite import np as np
from .likelihood import CrossEntropy as CrossEntropy
from .likelihood import Loss as Loss
from .likelihood import NegativeLogLikelihood as NegativeLogLikelihood
from .likelihood import Perplexity as Perplexity
from .regression import MAE as MAE
from .regression import MSE as MSE
from .regression import RMSE as RMSE
from .regression import PearsonCorrelation as PearsonCorrelation

__all__ = [
    "F1",
    "MAE",
    "MSE",
    "RMSE",
    "Accuracy",
    "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric",
    "EvalMetric",
    "Loss",
    "NegativeLogLikelihood",
    "PearsonCorrelation",
    "Perplexity",
    "TopKAccuracy",
    "alias",
    "check_label_shapes",
    "create",
    "np",
    "register",
]

__getattr__, __dir__ = _plugin_attributes(__name__, "metric", __all__)

_add_aliases(__name__)
