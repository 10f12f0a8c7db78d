"""Metrics that need more than a sum and a count: confusion matrices and areas under curves."""

from .auc import AUC as AUC
from .confusion_matrix import ConfusionMatrix as ConfusionMatrix

__all__ = ["AUC", "ConfusionMatrix"]
