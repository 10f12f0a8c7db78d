"""Metrics that need more than a sum and a count."""

from .auc import AUC as AUC
from .confusion_matrix import ConfusionMatrix as ConfusionMatrix
from .correlation import MCC as MCC
from .correlation import PCC as PCC

__all__ = ["AUC", "MCC", "PCC", "ConfusionMatrix"]
