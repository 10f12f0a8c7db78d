"""Access to the `nd` namespace from its own modules."""

import sys
from typing import Any

__all__ = ["operators"]


def operators() -> Any:
    """Return the module `opforge.ndarray`, whose functions are created on first use."""
    return sys.modules[__package__]
