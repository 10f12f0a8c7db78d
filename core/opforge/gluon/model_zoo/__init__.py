"""Whole models, which plugins bring: `get_model` makes one by name.

A model is a function or class that returns a block; it is also an attribute of this module.
"""

from typing import Any as _Any

from ...op.registry.modules import plugin_attributes as _plugin_attributes
from ...op.registry.table import TABLES as _TABLES
from . import model_store as model_store
from . import vision as vision

__all__ = ["get_model", "model_store", "vision"]


def get_model(name: str, **kwargs: _Any) -> _Any:
    """Return a new model of this name.

    Parameters
    ----------
    name : str
    **kwargs
        Arguments of the model's function.

    Returns
    -------
    Block

    Raises
    ------
    OperatorNotFoundError
        No plugin has a model of this name; the message has close names.
    """
    return _TABLES["model"].lookup(name).prop_class(**kwargs)


__getattr__, __dir__ = _plugin_attributes(__name__, "model", __all__)
