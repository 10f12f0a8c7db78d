"""MXNet's ``gluon.contrib.data``: a sampler of intervals, and data sets of text."""

from . import text as text
from .sampler import IntervalSampler as IntervalSampler

__all__ = ["IntervalSampler", "text"]
