"""Import of packages that only notebooks need."""

from importlib import import_module
from types import ModuleType

__all__ = ["required"]


def required(module: str, caller: str) -> ModuleType:
    """Return a module of another package.

    Parameters
    ----------
    module : str
        For instance ``"bokeh.plotting"``.
    caller : str
        Name of the class that needs it, for the error.

    Raises
    ------
    ImportError
        The package is not installed.
    """
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(f"{caller} requires {package}: pip install {package}") from error
