"""`gluon.model_zoo` without a plugin; plugin/test_contributions.py uses one with models."""

import pytest

from opforge.base.errors import OperatorNotFoundError
from opforge.gluon import model_zoo


def test_unknown_models_are_named():
    with pytest.raises(OperatorNotFoundError, match="opforge has no model 'vgg99'"):
        model_zoo.get_model("vgg99")
    with pytest.raises(AttributeError, match="vgg99"):
        _ = model_zoo.vgg99
