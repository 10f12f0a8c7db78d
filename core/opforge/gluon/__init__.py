"""Layers, networks and training: MXNet's Gluon.

Layer classes such as `nn.Dense` are provided by plugins; this package contains their foundations.
"""

import importlib as _importlib
from typing import Any as _Any

from ..base.errors import DeferredInitializationError as DeferredInitializationError
from ..base.module_aliases import add_aliases as _add_aliases
from ..base.name_hints import missing_name as _missing_name
from .base_block import Block as Block
from .constant import Constant as Constant
from .hybrid_block import HybridBlock as HybridBlock
from .parameter import Parameter as Parameter
from .parameter_dict import ParameterDict as ParameterDict
from .symbol_block import SymbolBlock as SymbolBlock
from .trainer import Trainer as Trainer

_MODULES = (
    "block",
    "contrib",
    "data",
    "loss",
    "model_zoo",
    "nn",
    "parameter",
    "rnn",
    "trainer",
    "utils",
)

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "Trainer",
    *_MODULES,
]


def __getattr__(name: str) -> _Any:
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise _missing_name(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_add_aliases(__name__)
