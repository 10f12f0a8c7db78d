"""Features of the build."""

import pytest

from opforge import runtime
from opforge.native import cpu, isa


def test_features_name_the_instruction_set_in_use():
    features = runtime.features()
    assert features["ISA"].value == isa.best()
    used = [f.name for f in features.values() if f.value == "in use"]
    assert used == [f"KERNELS_{isa.best().upper()}"]
    assert {f"KERNELS_{name.upper()}" for name in cpu.supported()} <= set(features)


def test_is_enabled_takes_any_case():
    features = runtime.features()
    assert features.is_enabled("cpu") and features.is_enabled("CPU")
    assert not features.is_enabled("CUDA")


def test_an_unknown_feature_lists_the_known_ones():
    with pytest.raises(RuntimeError, match=r"'TPU' is unknown.*BLAS_OPEN"):
        runtime.features().is_enabled("TPU")


def test_list_and_text():
    features = runtime.feature_list()
    assert [f.name for f in features] == list(runtime.features())
    assert "✔ CPU" in str(runtime.features()) and "✖ CUDA" in str(runtime.features())
