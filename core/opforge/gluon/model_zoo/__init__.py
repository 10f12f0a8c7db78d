"""Model zoo: models provided by plugins; `get_model` creates one by name.

A model is a function or class that returns a block; it is also an attribute of this module.
"""

from typing import Any as _Any

from ...op.registry.modules import plugin_attributes as _plugin_attributes
from ...op.registry.table import TABLES as _TABLES
from . import model_store as model_store
from . import vision as vision

__all__ = ["get_model", "model_store", "vision"]


def get_model(name: str, **kwargs: _Any) -> _Any:
    """Return a new model with the given name.

    Parameters
    ----------
    name : str
    **kwargs
        Arguments of the model.

    Returns
    -------
    Block

    Raises
    ------
    OperatorNotFoundError
        No plugin provides a model of this name; the message suggests similar names.
    """
    return _TABLES["model"].lookup(name).prop_class(**kwargs)


__getattr__, __dir__ = _plugin_attributes(__name__, "model", __all__)
