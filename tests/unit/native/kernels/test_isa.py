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


def test_best_is_the_last_supported(monkeypatch):
    monkeypatch.delenv("OPFORGE_ISA", raising=False)
    assert isa.best() == cpu.supported()[-1]


def test_switch_chooses(monkeypatch):
    monkeypatch.setenv("OPFORGE_ISA", "baseline")
    assert isa.best() == "baseline"


def test_unknown_set_is_refused_with_the_choices(monkeypatch):
    monkeypatch.setenv("OPFORGE_ISA", "sse9")
    with pytest.raises(AttributeValueError, match=r"OPFORGE_ISA='sse9'.*baseline"):
        isa.best()


def test_table_is_a_named_capsule():
    assert "opforge.kernels.elementwise" in repr(isa.table("elementwise"))
