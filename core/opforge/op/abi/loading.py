"""Import of the variant of a plugin's extension module for the best instruction set."""

import importlib
from types import ModuleType

from ...base.instruction_sets import ISA_FLAGS
from ...native.kernels import isa

__all__ = ["load"]


def load(name: str) -> ModuleType:
    """Return the extension module `name`, built by ``opforge.build.extension``, for this CPU.

    Parameters
    ----------
    name : str
        Name passed to ``extension``. If no variant is found, a module with exactly this name is
        imported.

    Returns
    -------
    module
        Value for the ``library`` of a `NativeOperator`.

    Raises
    ------
    ImportError
        The module is not built for any instruction set of this CPU.

    Examples
    --------
    >>> load("json").__name__
    'json'
    """
    sets = list(ISA_FLAGS)
    usable = sets[: sets.index(isa.best()) + 1]
    for found in reversed(usable):
        module = _try_import(f"{name}_{found}")
        if module is not None:
            return module
    module = _try_import(name)
    if module is None:
        raise ImportError(
            f"{name} is built for none of {', '.join(usable)}; build the plugin: pip install ."
        )
    return module


def _try_import(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None
