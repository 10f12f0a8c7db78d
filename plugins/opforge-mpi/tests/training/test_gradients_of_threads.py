"""Gradients of ranks that are threads, for sanitizer checks of the engine."""

import numpy as np
import pytest
from opforge_mpi import library
from opforge_mpi.collectives.signature import CollectiveSignature
from opforge_mpi.collectives.world import World
from opforge_mpi.settings import Settings
from opforge_mpi.training.gradients import Gradients

from opforge import autograd, gluon, nd

from .. import stand_in

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


class _Gate:
    """Pending object that waits until it is opened."""

    def __init__(self):
        self.is_open = False

    def test(self):
        return self.is_open

    def missing(self):
        return ()


@pytest.mark.parametrize("clips", [False, True])
def test_finished_sums_are_usable_while_the_last_is_in_progress(clips):
    """Including the case in which one rank requests all sums again."""

    def of_rank(comm):
        world = World(comm, Settings.read(bucket_mb=0.1, shared_memory=False))
        net = network(hybridize=True)
        params = list(net.collect_params().values())
        gradients = Gradients(world, params)
        backward(net, comm.rank)
        gradients.sum()  # arranges them
        backward(net, comm.rank)
        if clips and comm.rank:
            params[-1].grad()[:] = 1
        gate, last = _Gate(), gradients._buckets._buffers[-1]
        summed = last.sum

        def held():
            yield gate
            yield from summed()

        last.sum = held
        gradients.begin()
        groups = gradients.arriving()
        first = next(groups)
        totals = {index: gradients.total(index).asnumpy() for index in first}
        gate.is_open = True
        rest = [index for some in groups for index in some]
        gradients.finish()
        assert first and rest and sorted([*first, *rest]) == list(range(len(params)))
        for index, total in totals.items():
            assert np.array_equal(total, gradients.total(index).asnumpy())
        world.agree(CollectiveSignature("end"))
        return totals

    found = stand_in.run(_RANKS, of_rank)
    for totals in found[1:]:
        for index in totals.keys() & found[0].keys():
            assert np.array_equal(totals[index], found[0][index])
