"""Import the extension module of a plugin that was compiled for the best instruction set."""

import importlib
from types import ModuleType

from ...base.instruction_sets import ISA_FLAGS
from ...native.kernels import isa

__all__ = ["load"]


def load(name: str) -> ModuleType:
    """Return the module `name` that ``opforge.build.extension`` built, for this processor.

    Parameters
    ----------
    name : str
        As it was given to ``extension``. A module of this very name, which something else built,
        will do as well.

    Returns
    -------
    module
        For the ``library`` of a `NativeOperator`.

    Raises
    ------
    ImportError
        It is not built, or not for any instruction set that is used here.

    Examples
    --------
    >>> load("json").__name__
    'json'
    """
    sets = list(ISA_FLAGS)
    usable = sets[: sets.index(isa.best()) + 1]
    for found in reversed(usable):
        module = _imported(f"{name}_{found}")
        if module is not None:
            return module
    module = _imported(name)
    if module is None:
        raise ImportError(
            f"{name} is built for none of {', '.join(usable)}; build the plugin: pip install ."
        )
    return module


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
