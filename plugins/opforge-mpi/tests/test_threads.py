"""Gradients of ranks that are threads: what sanitizers can see of the engine's part."""

import numpy as np
import pytest
from opforge_mpi import library
from opforge_mpi.gradients import Gradients
from opforge_mpi.settings import Settings
from opforge_mpi.world import World

from opforge import autograd, gluon, nd

from . import stand_in

_RANKS, _PASSES, _WIDTH = 3, 4, 200


@pytest.fixture(autouse=True)
def threads_for_mpi(monkeypatch):
    monkeypatch.setattr(library, "load", lambda: stand_in.MPI)


def network(hybridize):
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            *(gluon.nn.Dense(_WIDTH, in_units=_WIDTH, activation="tanh") for _ in range(3)),
        )
    net.initialize()
    rng = np.random.default_rng(5)
    for param in net.collect_params().values():
        param.set_data(nd.array(rng.standard_normal(param.shape) * 0.1))
    net.hybridize(hybridize)
    return net


def backward(net, seed):
    x = nd.array(np.random.default_rng(seed).standard_normal((64, _WIDTH)))
    with autograd.record():
        loss = (net(x) ** 2).sum()
    loss.backward()
    return [param.grad().asnumpy() for param in net.collect_params().values()]


@pytest.mark.parametrize(("shared", "limit"), [(False, 0), (True, 0), (True, 2)])
@pytest.mark.parametrize("hybridize", [False, True])
def test_sums_while_backward_goes_on(shared, limit, hybridize):
    def of_rank(comm):
        settings = Settings.read(bucket_mb=0.1, shared_memory=shared, sharing_ranks=limit)
        world = World(comm, settings)
        net = network(hybridize)
        gradients = Gradients(world, list(net.collect_params().values()))
        sums = []
        for step in range(_PASSES):
            backward(net, step * _RANKS + comm.rank)
            gradients.sum()
            gradients.collect()
            sums.append([param.grad().asnumpy() for param in net.collect_params().values()])
        return sums

    found = stand_in.run(_RANKS, of_rank)
    alone = network(hybridize)
    for step in range(_PASSES):
        first, *others = (backward(alone, step * _RANKS + rank) for rank in range(_RANKS))
        for place, total in enumerate(first):
            for other in others:
                total = total + other[place]
            for sums in found:
                assert np.array_equal(sums[step][place], total)
