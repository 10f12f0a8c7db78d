"""Shared memory segments left by killed ranks."""

import mmap
import os

import pytest
from opforge_mpi.process.stale_segments import remove_stale_segments


@pytest.fixture
def segment(tmp_path):
    def make(name, age=1000):
        path = tmp_path / name
        path.write_bytes(bytes(4096))
        # ctime cannot be set: tests pass a negative age limit if it must not matter.
        os.utime(path, (path.stat().st_mtime - age,) * 2)
        return path

    return make


def test_only_old_unmapped_segments_are_removed(segment, tmp_path):
    dead, other = segment("mpich_shm_dead"), segment("someone_elses")
    alive = segment("mpich_shm_alive")
    with open(alive, "r+b") as file, mmap.mmap(file.fileno(), 4096):
        assert remove_stale_segments(tmp_path) == []  # all are recent
        assert remove_stale_segments(tmp_path, min_age=-10) == ["mpich_shm_dead"]
    assert (dead.exists(), alive.exists(), other.exists()) == (False, True, True)
    assert remove_stale_segments(tmp_path, min_age=-10) == ["mpich_shm_alive"]


def test_missing_folder(tmp_path):
    assert remove_stale_segments(tmp_path / "none") == []


_LOOKS = """
from pathlib import Path
from opforge_mpi.process.stale_segments import remove_stale_segments
mpi.barrier()
say(removed=[name for name in remove_stale_segments(min_age=-10)])
mpi.barrier()
say(sum=float(mpi.allreduce(nd.ones(3), average=False).sum().asscalar()))
"""


def test_segments_of_a_live_run_are_kept(ranks):
    for said in ranks(2, _LOOKS).said:
        assert said["sum"] == 6
