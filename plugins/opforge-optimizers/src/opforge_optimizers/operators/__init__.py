"""Update operators, each an entry point of the group ``opforge.ops``."""

from . import adamw, adaptive, gradient_descent, layerwise, several_weights

__all__ = ["DECLARATIONS"]

#: Declarations of all operators.
DECLARATIONS: list[type] = [
    getattr(module, name)
    for module in (adamw, adaptive, gradient_descent, layerwise, several_weights)
    for name in module.__all__
]
