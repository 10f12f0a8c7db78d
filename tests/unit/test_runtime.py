"""Features of the build."""

import pytest

from opforge import runtime
from opforge.native import cpu, isa


def test_features():
    found = runtime.features()
    assert found.is_enabled("cpu")
    assert not found.is_enabled("CUDA")
    assert found["ISA"].value == isa.best()
    assert int(found["THREADS"].value) >= 1
    in_use = [f.name for f in found.values() if f.value == "in use"]
    assert in_use == [f"KERNELS_{isa.best().upper()}"]
    assert isa.best() in cpu.supported()


def test_unknown_feature():
    with pytest.raises(RuntimeError, match="Feature 'tpu' is unknown, known features are"):
        runtime.features().is_enabled("tpu")


def test_shown():
    assert repr(runtime.Feature("CUDA", False)) == "✖ CUDA"
    assert repr(runtime.Feature("ISA", True, "x")) == "✔ ISA=x"
    assert "✔ CPU" in repr(runtime.features())
    assert [f.name for f in runtime.feature_list()] == list(runtime.features())
