"""Models for pictures, which plugins bring: functions and classes by name, and `get_model`."""

from typing import Any

from ...base.errors import OperatorNotFoundError
from ...base.mxnet_names import add_mxnet_names as _add_mxnet_names
from ...op.registry.modules import plugin_attributes as _plugin_attributes
from ...op.registry.table import TABLES as _TABLES

__all__ = ["get_model"]


def get_model(name: str, **kwargs: Any) -> Any:
    """Return a new model of this name, in capital or small letters.

    Parameters
    ----------
    name : str
        As ``resnet18_v1`` or ``mobilenet1.0``.
    **kwargs
        Arguments of the model's function, as ``classes=10`` or ``pretrained=True``.

    Raises
    ------
    ValueError
        There is none; the message lists what there is.
    """
    table = _TABLES["model"]
    try:
        model = table.lookup(name.lower()).prop_class
    except OperatorNotFoundError as error:
        # Names in capitals are classes, attributes of this module, which no name finds here.
        models = (found for found in table.names() if found.islower())
        options = "\n\t".join(sorted(name for name in models if not name.startswith("get_")))
        raise ValueError(
            f"Model {name.lower()} is not supported. Available options are\n\t{options}\n{error}"
        ) from error
    return model(**kwargs)


__getattr__, __dir__ = _plugin_attributes(__name__, "model", __all__)

_add_mxnet_names(__name__)
