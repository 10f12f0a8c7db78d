"""What MXNet keeps under ``gluon.contrib``."""

from . import nn as nn

__all__ = ["nn"]
