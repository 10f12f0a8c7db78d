"""`Constant`: a parameter that is not trained."""

import warnings
from typing import Any

from .. import initializer
from .. import ndarray as nd
from ..ndarray import NDArray
from .parameter import Parameter

__all__ = ["Constant"]


class Constant(Parameter):
    """A parameter with a fixed value and no gradient.

    Parameters
    ----------
    name : str
    value : NDArray, numpy.ndarray, number or (nested) list

    Examples
    --------
    >>> scale = Constant("scale", [1, 2])
    >>> scale.initialize()
    >>> scale.data().asnumpy().tolist()
    [1.0, 2.0]
    """

    def __init__(self, name: str, value: Any) -> None:
        self.value = value if isinstance(value, NDArray) else nd.array(value)
        super().__init__(
            name,
            grad_req="null",
            shape=self.value.shape,
            dtype=self.value.dtype,
            init=initializer.Constant(self.value),
        )

    @property
    def grad_req(self) -> str:
        """Always ``"null"``; setting another value only warns."""
        return "null"

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        self._grad_req = "null"
        if req != "null":
            warnings.warn(
                f'Constant parameter "{self.name}" does not support grad_req other than "null", '
                f'and new value "{req}" is ignored.',
                stacklevel=2,
            )
