"""`opforge.build.extension`: one module for each instruction set, with the core's flags."""

from pathlib import Path

import pytest

import opforge
from opforge.base.instruction_sets import ISA_FLAGS, MATH_FLAGS
from opforge.build import extension

SIMD = Path(opforge.get_include(), "opforge", "simd.h")


@pytest.fixture(autouse=True)
def every_set(monkeypatch):
    monkeypatch.delenv("OPFORGE_BUILD_ISA", raising=False)


def test_a_module_for_each_instruction_set():
    made = extension(
        "acme._native",
        ["a.c"],
        include_dirs=["own"],
        define_macros=[("X", "1")],
        extra_compile_args=["-Wall"],
        libraries=["m"],
        depends=["own.h"],
    )
    assert [m.name for m in made] == [f"acme._native_{isa}" for isa in ISA_FLAGS]
    for one, (isa, flags) in zip(made, ISA_FLAGS.items(), strict=True):
        assert one.extra_compile_args == ["-O3", *MATH_FLAGS, *flags, "-Wall"]
        assert one.define_macros == [("X", "1"), ("PyInit__native", f"PyInit__native_{isa}")]
        assert one.include_dirs == [opforge.get_include(), "own"]
        assert (one.sources, one.libraries) == (["a.c"], ["m"])
        assert {"own.h", str(SIMD)} <= set(one.depends)


def test_modules_for_chosen_instruction_sets(monkeypatch):
    monkeypatch.setenv("OPFORGE_BUILD_ISA", "baseline")
    assert [m.name for m in extension("acme._native", ["a.c"])] == ["acme._native_baseline"]
