"""Flags of instruction sets: the same for the core and for plugins, the plainest first."""

from opforge.base.instruction_sets import ISA_FLAGS, MATH_FLAGS
from opforge.native.threads import cpu


def test_every_set_that_a_processor_reports_has_flags():
    assert next(iter(ISA_FLAGS)) == "baseline"
    assert set(cpu.supported()) <= set(ISA_FLAGS)


def test_results_do_not_depend_on_fast_math():
    flags = [*MATH_FLAGS, *(flag for some in ISA_FLAGS.values() for flag in some)]
    assert not any("fast-math" in flag for flag in flags)
