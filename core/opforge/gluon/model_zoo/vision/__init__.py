"""Image models provided by plugins: functions and classes by name, and `get_model`."""

from typing import Any

from ....base.errors import OperatorNotFoundError
from ....base.module_aliases import add_aliases as _add_aliases
from ....op.registry.modules import plugin_attributes as _plugin_attributes
from ....op.registry.table import TABLES as _TABLES

__all__ = ["get_model"]


def get_model(name: str, **kwargs: Any) -> Any:
    """Return a new model with the given name; upper and lower case are the same.

    Parameters
    ----------
    name : str
        For example ``resnet18_v1`` or ``mobilenet1.0``.
    **kwargs
        Arguments of the model's function, for example ``classes=10`` or ``pretrained=True``.

    Raises
    ------
    ValueError
        No plugin provides a model of this name; the message lists the available models.
    """
    table = _TABLES["model"]
    try:
        model = table.lookup(name.lower()).prop_class
    except OperatorNotFoundError as error:
        # Names with capital letters are classes, which are attributes of this module only.
        models = (found for found in table.names() if found.islower())
        options = "\n\t".join(sorted(name for name in models if not name.startswith("get_")))
        raise ValueError(
            f"Model {name.lower()} is not supported. Available options are\n\t{options}\n{error}"
        ) from error
    return model(**kwargs)


__getattr__, __dir__ = _plugin_attributes(__name__, "model", __all__)

_add_aliases(__name__)
