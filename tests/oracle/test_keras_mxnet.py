"""keras-mxnet's layers and optimizers, unchanged, on opforge: losses and predictions.

One program runs in MXNet and, by ``python -m opforge.mxnet``, in opforge, from the same weights.
Install it with ``pip install --no-deps keras-mxnet==2.2.4.3``.
"""

import importlib.util

import numpy as np
import pytest

FOUND = importlib.util.find_spec("keras")
CASES = [
    *(("convolutional", kind) for kind in ("sgd", "adam", "rmsprop", "adagrad", "adadelta")),
    *(("convolutional", kind) for kind in ("nadam", "adamax")),
    *((model, "adam") for model in ("separable", "LSTM", "GRU", "SimpleRNN")),
]


@pytest.mark.skipif(FOUND is None, reason="pip install --no-deps keras-mxnet==2.2.4.3")
@pytest.mark.parametrize(("model", "optimizer"), CASES)
def test_training_is_that_of_mxnet(oracle, by_name, tmp_path, model, optimizer):
    root = FOUND.submodule_search_locations[0]
    request = {"root": root, "model": model, "optimizer": optimizer}
    expected = oracle("keras_mxnet", {**request, "name": "mxnet"})
    found = by_name("keras_mxnet", {**request, "name": "opforge"}, "--numpy-aliases")
    np.testing.assert_allclose(found, expected, 1e-4)
    assert expected[-1] < expected[0]
    values = [np.load(tmp_path / f"{name}.npy") for name in ("mxnet", "opforge")]
    np.testing.assert_allclose(values[1], values[0], 1e-3, 1e-4)
