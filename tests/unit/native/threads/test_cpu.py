"""Instruction sets of the processor."""

import platform
from pathlib import Path

import pytest

from opforge.native.kernels import isa
from opforge.native.threads import cpu

NEEDS = {
    "x86_64_v3": {"avx2", "fma", "bmi1", "bmi2", "f16c", "abm"},
    "x86_64_v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}


def test_sets_are_listed_least_capable_first():
    order = ["baseline", "x86_64_v3", "x86_64_v4"]
    found = cpu.supported()
    assert found == order[: len(found)]
    assert found
    assert cpu.supported() is not found  # the caller may change its list


def test_chosen_set_is_a_supported_one(monkeypatch):
    monkeypatch.delenv("OPFORGE_ISA", raising=False)
    assert isa.best() in cpu.supported()


INFO = Path("/proc/cpuinfo")


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not INFO.exists(), reason="compares with Linux on x86-64"
)
def test_sets_agree_with_the_operating_system():
    (line, *_) = [x for x in INFO.read_text().splitlines() if x.startswith("flags")]
    flags = set(line.split(":")[1].split())
    expected = ["baseline"]
    for name, needs in NEEDS.items():
        if not needs <= flags:
            break
        expected.append(name)
    assert cpu.supported() == expected
