"""Misspelled element types raise errors when they are specified, not in the first call."""

import pytest

import opforge as mx
from opforge import gluon
from opforge.gluon import nn, rnn
from opforge.gluon.data import batchify

pytestmark = pytest.mark.plugins

MAKERS = {
    "Parameter": lambda dtype: gluon.Parameter("w", dtype=dtype),
    "ParameterDict.get": lambda dtype: gluon.ParameterDict().get("w", shape=(2,), dtype=dtype),
    "Dense": lambda dtype: nn.Dense(3, dtype=dtype),
    "Embedding": lambda dtype: nn.Embedding(2, 3, dtype=dtype),
    "SparseEmbedding": lambda dtype: gluon.contrib.nn.SparseEmbedding(2, 3, dtype=dtype),
    "RNN": lambda dtype: rnn.RNN(3, dtype=dtype),
    "LSTM": lambda dtype: rnn.LSTM(3, dtype=dtype),
    "GRU": lambda dtype: rnn.GRU(3, dtype=dtype),
    "Pad": lambda dtype: batchify.Pad(dtype=dtype),
    "BatchNorm.cast": lambda dtype: nn.BatchNorm().cast(dtype),
    "cast": lambda dtype: nn.Dense(3).cast(dtype),
    "cast without parameters": lambda dtype: nn.Activation("relu").cast(dtype),
    "Parameter.cast": lambda dtype: gluon.Parameter("w").cast(dtype),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=list(MAKERS))
def test_the_constructor_raises(make):
    for dtype in ("float16", "float64"):
        make(dtype)
    for wrong in ("flaot32", "complex64", 3.5):
        with pytest.raises(mx.MXNetError, match=r"dtype .* is not supported; expected one of"):
            make(wrong)


def test_a_failed_cast_changes_nothing():
    net = nn.HybridSequential()
    net.add(nn.Dense(2, in_units=3), nn.BatchNorm(), nn.Dense(1))
    net.initialize()
    with pytest.raises(mx.MXNetError, match="'flaot32'"):
        net.cast("flaot32")
    assert net[0].weight.dtype == "float32"
    assert net(mx.nd.ones((2, 3))).shape == (2, 1)


def test_the_error_names_the_parameter():
    with pytest.raises(mx.MXNetError, match=r"Parameter 'first_weight': dtype 'flaot32'"):
        nn.Dense(3, dtype="flaot32", prefix="first_")
