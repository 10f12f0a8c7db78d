"""gluon.contrib.cnn has the layers of plugins."""

import pytest

from opforge import gluon


@pytest.mark.plugins
def test_layers_of_plugins_are_there_too():
    assert gluon.contrib.cnn.DeformableConvolution is gluon.nn.DeformableConvolution
    assert "DeformableConvolution" in dir(gluon.contrib.cnn)
    assert not hasattr(gluon.contrib.cnn, "_private")
