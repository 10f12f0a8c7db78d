"""Model of training on many ranks: the duration of a step as a function of the number of ranks.

The cost of a message is its latency plus its bytes; a sum consists of rounds of messages; a step
ends with its slowest rank. `simulate` simulates steps with random stragglers. opforge's page on
scaling compares the model with measurements.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

__all__ = ["Job", "Network", "ring", "sharded", "simulate", "tree"]


@dataclass(frozen=True)
class Network:
    """Connection between the ranks.

    Parameters
    ----------
    latency : float
        Seconds of an empty message.
    per_byte : float
        Additional seconds per byte.
    adding_per_byte : float
        Seconds to add one received byte to a local one.
    """

    latency: float
    per_byte: float
    adding_per_byte: float = 0.0


@dataclass(frozen=True)
class Job:
    """A training step of one rank.

    Parameters
    ----------
    forward, backward, update : float
        Seconds.
    nbytes : int
        Bytes of all gradients.
    bucket_bytes : int
        Bytes summed at a time.
    jitter : float
        Standard deviation of a rank's time for a pass, relative to that time.
    """

    forward: float
    backward: float
    update: float
    nbytes: int
    bucket_bytes: int = 2**20
    jitter: float = 0.0

    @property
    def alone(self) -> float:
        """Seconds of a step without other ranks."""
        return self.forward + self.backward + self.update


Sum = Callable[[Network, int, float], float]


def ring(network: Network, ranks: int, nbytes: float) -> float:
    """Return the seconds of a sum in parts: each rank adds one part and sends it to all.

    No sum moves fewer bytes; the number of sequential messages grows with the number of ranks.
    opforge-mpi's exchange has these costs.

    Examples
    --------
    >>> ring(Network(latency=1.0, per_byte=0.0), 4, 100)
    6.0
    """
    part = nbytes / ranks
    steps = ranks - 1
    sent = network.latency + part * network.per_byte
    return steps * (2 * sent + part * network.adding_per_byte)


def tree(network: Network, ranks: int, nbytes: float) -> float:
    """Return the seconds of a binary-tree reduction followed by a broadcast.

    Examples
    --------
    >>> tree(Network(latency=1.0, per_byte=0.0), 1000, 100)
    20.0
    """
    levels = ceil(log2(ranks)) if ranks > 1 else 0
    sent = network.latency + nbytes * network.per_byte
    return levels * (2 * sent + nbytes * network.adding_per_byte)


def simulate(
    job: Job, network: Network, ranks: int, sums: Sum = ring, steps: int = 100, seed: int = 0
) -> float:
    """Return the mean seconds per step over all ranks.

    Gradients become ready evenly during the backward pass, in buckets. The sum of a bucket starts
    when the slowest rank has it and the previous sum has finished; the update follows the last one.

    Examples
    --------
    >>> job = Job(forward=1.0, backward=2.0, update=0.5, nbytes=4, bucket_bytes=1)
    >>> simulate(job, Network(latency=0.0, per_byte=0.0), ranks=8)
    3.5
    """
    buckets = max(1, ceil(job.nbytes / job.bucket_bytes))
    each = sums(network, ranks, job.nbytes / buckets)
    ready = job.forward + job.backward * np.arange(1, buckets + 1) / buckets
    # Latest end, if this sum and those after it run back to back once it is ready.
    ends = ready + each * np.arange(buckets, 0, -1)
    random = np.random.default_rng(seed)
    slowest = np.array([1 + job.jitter * random.standard_normal(ranks).max() for _ in range(steps)])
    slowest = np.maximum(slowest, 1.0) if ranks > 1 else np.ones(steps)
    stretched = slowest[:, None] * ready + (ends - ready)
    return float(stretched.max(axis=1).mean() + job.update)


def sharded(
    job: Job, network: Network, ranks: int, sums: Sum = ring, steps: int = 100, seed: int = 0
) -> float:
    """Return the mean seconds per step if each rank updates only its shard of the parameters.

    A reduce-scatter is half of a sum and can be hidden as well; the allgather of the parameters is
    the other half, follows the update, and cannot be hidden.
    """

    def half(network: Network, ranks: int, nbytes: float) -> float:
        return sums(network, ranks, nbytes) / 2

    without = Job(
        job.forward, job.backward, job.update / ranks, job.nbytes, job.bucket_bytes, job.jitter
    )
    gathering = half(network, ranks, job.nbytes)
    return simulate(without, network, ranks, half, steps, seed) + gathering
