"""A model of training on many ranks: how long a step takes, and what becomes of it at scale.

The cost of a message is its latency and its bytes; a sum is a number of rounds of messages; a step
ends with its slowest rank. `simulate` plays steps with random stragglers. opforge's page on scaling
compares it with what was measured.
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
        Seconds of a message without contents.
    per_byte : float
        Seconds that each byte of it adds.
    adding_per_byte : float
        Seconds of adding a byte that has come to one that is there.
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
        Of all gradients.
    bucket_bytes : int
        They are summed in pieces of so many.
    jitter : float
        Standard deviation of a rank's time for a pass, as a share of it.
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
    """Return the seconds of a sum in parts: each rank adds one part, and gives it to all.

    No sum moves fewer bytes; the number of messages one behind the other grows with the ranks.
    opforge-mpi's own exchange has these costs.

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
    """Return the seconds of a sum that halves the ranks each time, and of giving it back.

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
    """Return the mean seconds of a step of all ranks.

    Gradients become ready evenly during the backward pass, in buckets. The sum of a bucket begins
    when the slowest rank has it, and behind the sum before; the update follows the last one.

    Examples
    --------
    >>> job = Job(forward=1.0, backward=2.0, update=0.5, nbytes=4, bucket_bytes=1)
    >>> simulate(job, Network(latency=0.0, per_byte=0.0), ranks=8)
    3.5
    """
    buckets = max(1, ceil(job.nbytes / job.bucket_bytes))
    each = sums(network, ranks, job.nbytes / buckets)
    ready = job.forward + job.backward * np.arange(1, buckets + 1) / buckets
    # Each sum ends after itself and those behind it that cannot begin before.
    ends = ready + each * np.arange(buckets, 0, -1)
    random = np.random.default_rng(seed)
    slowest = np.array([1 + job.jitter * random.standard_normal(ranks).max() for _ in range(steps)])
    slowest = np.maximum(slowest, 1.0) if ranks > 1 else np.ones(steps)
    stretched = slowest[:, None] * ready + (ends - ready)
    return float(stretched.max(axis=1).mean() + job.update)


def sharded(
    job: Job, network: Network, ranks: int, sums: Sum = ring, steps: int = 100, seed: int = 0
) -> float:
    """Return the mean seconds of a step where each rank updates its share of the parameters alone.

    A reduce-scatter is half of a sum, and can be hidden likewise; the gathering of the parameters
    is the other half, comes behind the update, and cannot.
    """

    def half(network: Network, ranks: int, nbytes: float) -> float:
        return sums(network, ranks, nbytes) / 2

    without = Job(
        job.forward, job.backward, job.update / ranks, job.nbytes, job.bucket_bytes, job.jitter
    )
    gathering = half(network, ranks, job.nbytes)
    return simulate(without, network, ranks, half, steps, seed) + gathering
