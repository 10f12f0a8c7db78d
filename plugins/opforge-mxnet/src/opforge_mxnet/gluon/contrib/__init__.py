"""MXNet's ``gluon.contrib``."""

from . import cnn as cnn
from . import estimator as estimator
from . import nn as nn
from . import rnn as rnn

__all__ = ["cnn", "estimator", "nn", "rnn"]
