"""`gluon.model_zoo.vision` without a plugin; opforge-models tests it with its networks."""

import pytest

from opforge.gluon.model_zoo import vision


def test_unknown_models_raise_value_error():
    with pytest.raises(ValueError, match="Model vgg99 is not supported") as caught:
        vision.get_model("VGG99")
    assert "opforge has no model 'vgg99'" in str(caught.value)
    with pytest.raises(AttributeError, match="vgg99"):
        _ = vision.vgg99
