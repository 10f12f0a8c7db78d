"""Access to the `sym` namespace from the modules that it is made of."""

import sys
from typing import Any

__all__ = ["operators"]


def operators() -> Any:
    """Return the module `opforge.symbol`, whose functions are made when first used."""
    return sys.modules[__package__]
