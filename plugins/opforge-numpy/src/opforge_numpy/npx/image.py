"""`npx.image`: operators on images, and the functions and classes of `mx.image`."""

import importlib
from typing import Any

from opforge.plugin_api import F

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(F.image, name)
    except AttributeError:
        value = getattr(importlib.import_module("opforge.image"), name)
    return value


def __dir__() -> list[str]:
    return dir(importlib.import_module("opforge.image"))
