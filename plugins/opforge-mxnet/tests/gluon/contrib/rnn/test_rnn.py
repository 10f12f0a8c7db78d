"""gluon.contrib.rnn has the cells of plugins."""

import pytest

from opforge import gluon


@pytest.mark.plugins
def test_cells_of_plugins_are_there():
    assert gluon.contrib.rnn.LSTMPCell is gluon.rnn.LSTMPCell
    assert {"Conv3DGRUCell", "VariationalDropoutCell"} <= set(dir(gluon.contrib.rnn))
    assert not hasattr(gluon.contrib.rnn, "_private")
