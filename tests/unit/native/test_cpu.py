"""What the processor can do."""

import platform
from pathlib import Path

from opforge.native import cpu

CPUINFO = Path("/proc/cpuinfo")


def test_baseline_is_always_there_and_first():
    assert cpu.supported()[0] == "baseline"
    assert set(cpu.supported()) <= {"baseline", "x86_64_v3", "x86_64_v4"}


def test_agrees_with_the_system():
    flags: set[str] = set()  # what is not Linux on x86-64 has the baseline
    if platform.machine() == "x86_64" and CPUINFO.exists():
        flags = set(CPUINFO.read_text().partition("flags")[2].splitlines()[0].split())
    v3 = {"avx2", "fma", "bmi1", "bmi2", "f16c"} <= flags
    v4 = v3 and {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= flags
    assert ("x86_64_v3" in cpu.supported()) == v3
    assert ("x86_64_v4" in cpu.supported()) == v4
