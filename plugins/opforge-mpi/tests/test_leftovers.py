"""Segments of shared memory that killed ranks left."""

import mmap
import os

import pytest
from opforge_mpi.leftovers import remove_leftovers


@pytest.fixture
def segment(tmp_path):
    def make(name, age=1000):
        path = tmp_path / name
        path.write_bytes(bytes(4096))
        # ctime cannot be set: tests pass a negative age limit where it must not count.
        os.utime(path, (path.stat().st_mtime - age,) * 2)
        return path

    return make


def test_only_old_ones_that_nobody_has_mapped_go(segment, tmp_path):
    dead, other = segment("mpich_shm_dead"), segment("someone_elses")
    alive = segment("mpich_shm_alive")
    with open(alive, "r+b") as file, mmap.mmap(file.fileno(), 4096):
        assert remove_leftovers(tmp_path) == []  # all are young
        assert remove_leftovers(tmp_path, young=-10) == ["mpich_shm_dead"]
    assert (dead.exists(), alive.exists(), other.exists()) == (False, True, True)
    assert remove_leftovers(tmp_path, young=-10) == ["mpich_shm_alive"]


def test_a_folder_that_is_not_there(tmp_path):
    assert remove_leftovers(tmp_path / "none") == []


_LOOKS = """
from pathlib import Path
from opforge_mpi.leftovers import remove_leftovers
mpi.barrier()
say(removed=[name for name in remove_leftovers(young=-10)])
mpi.barrier()
say(sum=float(mpi.allreduce(nd.ones(3), average=False).sum().asscalar()))
"""


def test_segments_of_a_run_that_lives_stay(ranks):
    for said in ranks(2, _LOOKS).said:
        assert said["sum"] == 6
