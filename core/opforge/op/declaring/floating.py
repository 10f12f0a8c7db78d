"""`Floating`: a base of declarations that take numbers with fractions alone."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.errors import DTypeError

__all__ = ["Floating"]


class Floating:
    """Refuse whole numbers, of which results with fractions would be cut off.

    Stands before the base class: ``class Mean(Floating, OperatorProp)``.

    Examples
    --------
    >>> from opforge.plugin_api import OperatorProp
    >>> class Half(Floating, OperatorProp):
    ...     "Divide by two."
    ...     name = "half"
    ...     def compose(self, F, data):
    ...         return data / 2
    >>> Half().infer_type([int])
    Traceback (most recent call last):
    opforge.base.errors.DTypeError: operator 'half': data is int64, expected a floating type; \
convert it with data.astype('float32')
    """

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return what the class infers of floating types.

        Raises
        ------
        DTypeError
            An input has another type.
        """
        found: tuple[list[Any], list[Any], list[Any]] = super().infer_type(in_type)  # type: ignore[misc]
        declaration: Any = self
        for name, dtype in zip(declaration.list_arguments(), found[0], strict=True):
            if dtype is not None and not np.issubdtype(dtype, np.floating):
                raise DTypeError(
                    f"operator '{declaration.name}': {name} is {np.dtype(dtype)}, expected a "
                    f"floating type; convert it with {name}.astype('float32')"
                )
        return found
