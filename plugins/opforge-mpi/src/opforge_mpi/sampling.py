"""Samplers that assign the samples of a data set to ranks; see `opforge_mpi.training.sampling`."""

from .training.sampling import SplitSampler as SplitSampler
from .training.sampling import split_sampler as split_sampler

__all__ = ["SplitSampler", "split_sampler"]
