"""Features that the build reports."""

import pytest

import opforge as mx
from opforge import runtime
from opforge.native.kernels import isa
from opforge.native.threads import cpu, parallel


def test_features_by_name_in_any_case():
    features = mx.runtime.features()
    assert features.is_enabled("CPU")
    assert features.is_enabled("cpu")
    assert not features.is_enabled("CUDA")
    with pytest.raises(RuntimeError, match=r"'TPU' is unknown.*'CPU'"):
        features.is_enabled("TPU")


def test_values_are_those_in_use():
    features = runtime.features()
    assert features["ISA"].value == isa.best()
    assert features["ISA"].value in cpu.supported()
    assert features[f"KERNELS_{isa.best().upper()}"].value == "in use"
    assert features["THREADS"].value == str(parallel.get_num_threads())


def test_the_list_is_the_table():
    names = [feature.name for feature in runtime.feature_list()]
    assert names == list(runtime.features())
    assert len(set(names)) == len(names)


def test_text():
    assert repr(runtime.Feature("CPU", True)) == "✔ CPU"
    assert repr(runtime.Feature("CUDA", False)) == "✖ CUDA"
    assert repr(runtime.Feature("ISA", True, "baseline")) == "✔ ISA=baseline"
    assert repr(runtime.features()).startswith("[✖ CUDA, ✖ CUDNN")


def test_there_is_one_object_with_all_that_mxnet_knows():
    features = runtime.Features()
    assert features is runtime.Features() is runtime.features()
    assert len(features) >= 30
    assert features.is_enabled("INT64_TENSOR_SIZE") and features.is_enabled("BLAS_OPEN")
    for name in ("CUDNN", "MKLDNN", "OPENCV", "DIST_KVSTORE", "TVM_OP"):
        assert not features.is_enabled(name)
    assert list(features)[:5] == ["CUDA", "CUDNN", "NCCL", "CUDA_RTC", "TENSORRT"]
