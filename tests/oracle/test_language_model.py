"""The LSTM of examples/word_language_model.py learns Python's reference as it does in MXNet."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import opforge as mx
from opforge.contrib.text.utils import count_tokens_from_str
from opforge.contrib.text.vocab import Vocabulary

from .programs.language_model import train

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def example(monkeypatch):
    """The example as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("word_language_model")


class Flat(mx.gluon.HybridBlock):
    """The example's model with its results in one tuple, as a graph has them."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def hybrid_forward(self, F, x, *states):
        scores, states = self.model(x, *states)
        return (scores, *states)


def test_perplexities(oracle, example, tmp_path):
    words = example.read_words(None)[:15_000]
    vocabulary = Vocabulary(count_tokens_from_str(" ".join(words)), min_freq=3)
    loader = example.windows(vocabulary.to_indices(words))
    data = {
        name: np.stack([batch[at].asnumpy() for batch in loader]) for at, name in enumerate("xy")
    }
    np.savez(tmp_path / "data.npz", **data)
    request = {"layers": 2, "units": 32, "rate": 4.0, "epochs": 3}
    mx.random.seed(0)
    net = Flat(example.LSTMModel(len(vocabulary), 32, 2, dropout=0.0))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    net(mx.nd.array(data["x"][0]), *net.model.begin_state())
    net.export(str(tmp_path / "net"))
    wanted = oracle("language_model", request)
    found = train(mx, net, data, **request)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
    assert found[-1] < 0.7 * found[0]
