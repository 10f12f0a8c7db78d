"""gluon.rnn has the layers and cells of plugins, and names the plugin to install."""

import pytest

from opforge import gluon
from opforge.op.registry import catalogue


@pytest.mark.plugins
def test_layers_and_cells_of_plugins_are_there():
    assert gluon.rnn.LSTM is gluon.nn.LSTM
    assert {"RNN", "GRUCell", "HybridSequentialRNNCell"} <= set(dir(gluon.rnn))
    assert not hasattr(gluon.rnn, "_private")


@pytest.mark.parametrize("name", ["LSTM", "LSTMCell", "HybridRecurrentCell", "Conv2DLSTMCell"])
def test_the_catalogue_names_their_provider(name):
    assert catalogue.providers("layer")[0][name] == "opforge-recurrent"
