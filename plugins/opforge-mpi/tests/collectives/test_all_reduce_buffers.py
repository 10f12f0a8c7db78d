"""Sums in memory shared by some ranks, with ranks that are threads."""

import ml_dtypes
import numpy as np
import pytest
from opforge_mpi import library
from opforge_mpi.collectives.all_reduce import add_pairwise
from opforge_mpi.collectives.all_reduce_buffers import create_all_reduce_buffers
from opforge_mpi.collectives.signature import CollectiveSignature
from opforge_mpi.collectives.world import World
from opforge_mpi.settings import Settings

from .. import stand_in

_LENGTHS = (1, 2, 3, 1001)


@pytest.fixture(autouse=True)
def threads_for_mpi(monkeypatch):
    monkeypatch.setattr(library, "load", lambda: stand_in.MPI)


def addends(length, dtype, turn, count):
    rng = np.random.default_rng([length, turn])
    return (rng.standard_normal((count, length)) * 1000).astype(dtype)


def sums(count, limit, dtype="float32", half_messages=False):
    """Return the sums of each rank, for several buffers and iterations."""

    def of_rank(comm):
        shared = limit != 1
        world = World(comm, Settings(60, 2**20, shared, limit, half_messages))
        signatures = [CollectiveSignature(f"sum of {length}") for length in _LENGTHS]
        made = create_all_reduce_buffers(
            world, _LENGTHS, [np.dtype(dtype)] * len(_LENGTHS), signatures
        )
        found = []
        for turn in range(3):
            for room, signature in zip(made, signatures, strict=True):
                room.own[:] = addends(room.own.size, dtype, turn, count)[comm.rank]
                world.launch(room.sum(), signature)
            world.drain()
            found.extend(room.total.copy() for room in made)
        world.agree(CollectiveSignature("end"))
        return found

    first, *others = stand_in.run(count, of_rank)
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))
    return first


@pytest.mark.parametrize("count", [4, 8])
def test_groups_of_two_or_four_are_bitwise_equal(count):
    wanted = sums(count, 0)
    for limit in (1, 2, 4):
        assert all(np.array_equal(a, b) for a, b in zip(sums(count, limit), wanted, strict=True))


@pytest.mark.parametrize(("count", "limit"), [(5, 2), (3, 2), (7, 3)])
def test_groups_of_unequal_sizes(count, limit):
    """The last group has fewer ranks, which determines the number of parts."""
    found = iter(sums(count, limit))
    for turn in range(3):
        for length in _LENGTHS:
            wanted = addends(length, "float32", turn, count).astype(np.float64).sum(0)
            assert np.allclose(next(found), wanted, rtol=1e-6, atol=1e-3)


def test_integers_and_float16():
    pairs = zip(sums(4, 2, "int32"), sums(4, 1, "int32"), strict=True)
    assert all(np.array_equal(a, b) for a, b in pairs)
    for found, wanted in zip(sums(4, 2, "float16"), sums(4, 0, "float16"), strict=True):
        assert np.allclose(found, wanted, rtol=2e-3, atol=2)  # each group rounds


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_16_bit_floats_are_added_in_float32(count, dtype):
    """Including subnormal and infinite values, and lengths that do not fill a vector."""
    hard = np.array([6e-8, -6e-8, 1e-6, 6.1e-5, 0.0, -0.0, 65504, -65504, np.inf, 1], dtype)
    every = [np.tile(np.roll(hard, 3 * rank), 7)[: 61 + count] for rank in range(count)]
    kept = [one.copy() for one in every]
    out = np.zeros_like(every[0])
    with np.errstate(all="ignore"):
        add_pairwise(every, out)
        wide = np.zeros(out.shape, np.float32)
        add_pairwise([one.astype(np.float32) for one in every], wide)
        np.testing.assert_array_equal(out.astype(float), wide.astype(dtype).astype(float))
    assert all(np.array_equal(a, b) for a, b in zip(every, kept, strict=True))


def test_messages_between_groups_may_be_float16():
    """The sum of a group is rounded once, and the sum of the groups once more."""
    for found, length in zip(sums(4, 2, half_messages=True), _LENGTHS, strict=False):
        first, second, third, fourth = addends(length, "float32", 0, 4)
        halves = [(a + b).astype(np.float16) for a, b in ((first, second), (third, fourth))]
        wanted = halves[0].astype(np.float32) + halves[1].astype(np.float32)
        assert np.array_equal(found, wanted.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("text", ["-1", "1.5", "inf", "all"])
def test_invalid_numbers_of_sharing_ranks(monkeypatch, text):
    monkeypatch.setenv("OPFORGE_MPI_SHARING_RANKS", text)
    with pytest.raises(ValueError, match=r"sharing_ranks=.*expected|SHARING_RANKS='all'"):
        Settings.read()
