"""Limits of control groups of both versions, read from fake folders."""

from pathlib import Path

import pytest

from opforge.base import limits


def _write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text + "\n")


def _own(folder: Path, text: str) -> Path:
    path = folder / "own"
    path.write_text(text + "\n")
    return path


def test_the_smallest_quota_of_version_2_counts(tmp_path: Path) -> None:
    own = _own(tmp_path, "0::/outer/inner")
    _write(tmp_path / "outer" / "inner", cpu__max="max 100000")
    assert limits.cpu_quota(tmp_path, own) is None
    _write(tmp_path / "outer", cpu__max="150000 100000")
    assert limits.cpu_quota(tmp_path, own) == 1.5


def test_quota_of_version_1(tmp_path: Path) -> None:
    own = _own(tmp_path, "4:memory:/x\n3:cpu,cpuacct:/job")
    job = tmp_path / "cpu,cpuacct" / "job"
    _write(job, cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    assert limits.cpu_quota(tmp_path, own) is None
    _write(job, cpu__cfs_quota_us="400000")
    assert limits.cpu_quota(tmp_path, own) == 4.0


def test_quota_is_none_without_readable_files(tmp_path: Path) -> None:
    assert limits.cpu_quota(tmp_path, tmp_path / "missing") is None


def test_a_fraction_of_a_cpu_is_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "cpu_quota", lambda: 0.5)
    assert limits.available_cpus() == 1


def test_memory_of_both_versions(tmp_path: Path) -> None:
    machine = limits.memory_limit(tmp_path, tmp_path / "missing")
    assert machine is None or machine > 1 << 26
    own = _own(tmp_path, "0::/job")
    _write(tmp_path / "job", memory__max="max")
    assert limits.memory_limit(tmp_path, own) == machine
    _write(tmp_path / "job", memory__max=str(1 << 26))
    assert limits.memory_limit(tmp_path, own) == 1 << 26
    own = _own(tmp_path, "4:memory:/old")
    _write(tmp_path / "memory" / "old", memory__limit_in_bytes=str(1 << 25))
    assert limits.memory_limit(tmp_path, own) == 1 << 25
