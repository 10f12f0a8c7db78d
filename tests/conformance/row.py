"""Rows of the operators whose references are elsewhere: a call to run in all modes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .case import normal


@dataclass(frozen=True)
class Row:
    """An operator with one call.

    Parameters
    ----------
    operator : str
    shapes : sequence of tuple of int
        Of the inputs, then of the auxiliary states.
    attrs : dict
    samples : sequence of sampler
        One for each input and state; the last one is used for all that follow.
    n_states : int
    rtol : float
        Relative tolerance, for graphs that add in another order.
    wanted : sequence of int, optional
        Inputs whose gradient is compared; None: all.
    dtypes : sequence of str, optional
        Types of the inputs, if the operator has no choice.
    """

    operator: str
    shapes: Sequence[tuple[int, ...]]
    attrs: dict[str, Any] = field(default_factory=dict)
    samples: Sequence[Any] = (normal,)
    n_states: int = 0
    rtol: float = 0.0
    wanted: Sequence[int] | None = None
    dtypes: Sequence[str] | None = None

    def draw(self, dtype: str) -> list[Any]:
        """Return the inputs and states."""
        rng = np.random.default_rng(0)
        last = len(self.samples) - 1
        dtypes = self.dtypes or [dtype] * len(self.shapes)
        return [
            np.asarray(self.samples[min(at, last)](rng, shape)).astype(dtypes[at])
            for at, shape in enumerate(self.shapes)
        ]
