"""Containers, and every layer that an installed plugin provides.

`Dense` and the other layers are looked up when they are first used; `dir()` lists what is
installed.
"""

from typing import Any as _Any

from ...op import registry as _registry
from ..block import Block as Block
from ..hybrid_block import HybridBlock as HybridBlock
from .functional import HybridLambda as HybridLambda
from .functional import Lambda as Lambda
from .sequential import HybridSequential as HybridSequential
from .sequential import Sequential as Sequential

__all__ = ["Block", "HybridBlock", "HybridLambda", "HybridSequential", "Lambda", "Sequential"]


def __getattr__(name: str) -> _Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _registry.lookup_layer(name).prop_class


def __dir__() -> list[str]:
    return sorted({*__all__, *_registry.LAYERS.names()})
