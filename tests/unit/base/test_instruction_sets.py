"""Flags of instruction sets: the same for the core and for plugins, the baseline first."""

import pytest

from opforge.base.instruction_sets import ISA_FLAGS, MATH_FLAGS, built_sets
from opforge.native.threads import cpu


def test_every_set_that_a_processor_reports_has_flags():
    assert next(iter(ISA_FLAGS)) == "baseline"
    assert set(cpu.supported()) <= set(ISA_FLAGS)


def test_results_do_not_depend_on_fast_math():
    flags = [*MATH_FLAGS, *(flag for some in ISA_FLAGS.values() for flag in some)]
    assert not any("fast-math" in flag for flag in flags)


def test_a_build_may_be_of_chosen_sets(monkeypatch):
    last = list(ISA_FLAGS)[-1]
    monkeypatch.setenv("OPFORGE_BUILD_ISA", last)
    assert built_sets() == {last: ISA_FLAGS[last]}
    monkeypatch.setenv("OPFORGE_BUILD_ISA", "")
    assert built_sets() == ISA_FLAGS
    monkeypatch.setenv("OPFORGE_BUILD_ISA", "pentium,baseline")
    with pytest.raises(SystemExit, match=r"\['pentium'\] are unknown; choose from \['baseline'"):
        built_sets()
