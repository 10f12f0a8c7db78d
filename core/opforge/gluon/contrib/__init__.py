"""What MXNet keeps under ``gluon.contrib``."""

from . import cnn as cnn
from . import estimator as estimator
from . import nn as nn

__all__ = ["cnn", "estimator", "nn"]
