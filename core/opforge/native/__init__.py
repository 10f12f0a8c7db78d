"""Layer 1: the Cython core (buffer, array, engine, kernels, dispatch, tape)."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Stand for the compiled modules, which a type checker cannot see."""
