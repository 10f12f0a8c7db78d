"""Choice of the instruction set."""

import pytest

from opforge.base.errors import AttributeValueError
from opforge.native.kernels import isa
from opforge.native.threads import cpu


@pytest.fixture(autouse=True)
def forget():
    isa.best.cache_clear()
    yield
    isa.best.cache_clear()


@pytest.fixture
def builds(monkeypatch):
    """Simulate a build for some of three instruction sets, all supported by the processor."""

    def build(*names):
        monkeypatch.delenv("OPFORGE_ISA", raising=False)
        monkeypatch.setattr(cpu, "supported", lambda: ["baseline", "x86_64_v3", "x86_64_v4"])
        monkeypatch.setattr(isa, "_is_built", names.__contains__)

    return build


def test_best_is_the_last_built_set(builds):
    builds("baseline", "x86_64_v3")
    assert isa.best() == "x86_64_v3"


def test_built_sets_are_detected(monkeypatch):
    monkeypatch.delenv("OPFORGE_ISA", raising=False)
    assert isa._is_built(isa.best())
    assert not isa._is_built("sse9")


def test_set_that_was_not_built_is_rejected(builds, monkeypatch):
    builds("baseline", "x86_64_v3")
    monkeypatch.setenv("OPFORGE_ISA", "x86_64_v4")
    with pytest.raises(AttributeValueError, match=r"v4' was not built. Set it to one of baseline"):
        isa.best()


def test_kernels_only_for_other_processors_are_an_error(builds):
    builds("x86_64_v9")
    with pytest.raises(ImportError, match="not built for any instruction set that this"):
        isa.best()


def test_switch_selects(builds, monkeypatch):
    builds("baseline", "x86_64_v3")
    monkeypatch.setenv("OPFORGE_ISA", "baseline")
    assert isa.best() == "baseline"


def test_unknown_set_is_rejected_with_the_choices(monkeypatch):
    monkeypatch.setenv("OPFORGE_ISA", "sse9")
    with pytest.raises(AttributeValueError, match=r"OPFORGE_ISA='sse9'.*Set it to one of [a-z]"):
        isa.best()


def test_table_is_a_named_capsule():
    assert "opforge.kernels.elementwise" in repr(isa.table("elementwise"))
