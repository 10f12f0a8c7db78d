"""Initializers that depend on the array's name: `Mixed` and `Load`."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import DEFAULT_KINDS, InitDesc, Initializer, create

__all__ = ["Load", "Mixed"]


class Mixed(Initializer):
    """Choose the initializer by the first regular expression that matches the name.

    A pattern that contains the kind of an array, as ``"bias"``, ``".*_bias"`` and ``".*gamma"`` do,
    also replaces the default for this kind: 0 for biases, 1 for gammas. Initializers that a
    parameter or variable requests take precedence.

    Parameters
    ----------
    patterns : sequence of str
        They match from the start of a name; one without special characters also matches its end.
    initializers : sequence of Initializer or str
        One for each pattern.

    Raises
    ------
    ValueError
        The lists differ in length, or (on call) no pattern matches a name.
    """

    def __init__(self, patterns: Sequence[str], initializers: Sequence[Any]) -> None:
        super().__init__()
        if len(patterns) != len(initializers):
            raise ValueError(
                f"{len(patterns)} patterns but {len(initializers)} initializers; "
                "pass one initializer for each pattern"
            )
        self._kwargs = {"patterns": list(patterns), "initializers": list(initializers)}
        self.map = [(re.compile(p), create(i)) for p, i in zip(patterns, initializers, strict=True)]

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill `arr` with the initializer of the first pattern that matches the name."""
        pattern, initializer = self._choose(desc)
        requested = desc.attrs.get("__init__") if isinstance(desc, InitDesc) else None
        is_named = any(desc.endswith(kind) and kind in pattern for kind in DEFAULT_KINDS)
        # Layers request "zeros" and "ones" for arrays of these kinds by default.
        if is_named and requested in (None, "", "zeros", "ones"):
            initializer._init_weight(desc, arr)
        else:
            initializer(desc, arr)

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        self._choose(desc)[1]._init_weight(desc, arr)

    def _choose(self, desc: str) -> tuple[str, Initializer]:
        """Return the first matching pattern and its initializer."""
        for pattern, initializer in self.map:
            if pattern.match(desc) or desc.endswith(pattern.pattern):
                return pattern.pattern, initializer
        raise ValueError(
            f"Parameter name {desc} did not match any pattern. Consider adding a "
            '".*" pattern at the end with a default Initializer.'
        )


class Load(Initializer):
    """Copy arrays from a file or dict; `default_init` fills those it lacks.

    Parameters
    ----------
    param : str or mapping of str to NDArray
        File written by `nd.save`, or the arrays; ``arg:`` and ``aux:`` before a name are dropped.
    default_init : Initializer, optional
    verbose : bool, default False
        Log the source of each array.

    Raises
    ------
    ValueError
        On call: a shape differs, or a name is missing and `default_init` is None.
    """

    def __init__(
        self,
        param: str | Mapping[str, NDArray],
        default_init: Initializer | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__()
        arrays = nd.load(param) if isinstance(param, str) else param
        if not isinstance(arrays, Mapping):
            raise TypeError(f"Load needs named arrays; {param!r} contains a list")
        self.param = {
            name.removeprefix("arg:").removeprefix("aux:"): arrays[name] for name in arrays
        }
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Copy the array with this name into `arr`, or fill it with `default_init`."""
        if not self._copy(desc, arr):
            self._default(desc)(desc, arr)

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        if not self._copy(desc, arr):
            self._default(desc)._init_weight(desc, arr)

    def _copy(self, desc: str, arr: NDArray) -> bool:
        source = self.param.get(str(desc))
        if source is None:
            return False
        if source.shape != arr.shape:
            raise ValueError(
                f"Parameter {desc} cannot be initialized from loading. Shape mismatch, "
                f"target {arr.shape} vs loaded {source.shape}"
            )
        arr[:] = source
        if self.verbose:
            logging.info("Initialized %s by loading", desc)
        return True

    def _default(self, desc: str) -> Initializer:
        if self.default_init is None:
            raise ValueError(
                f"Cannot Initialize {desc}. Not found in loaded param and no default "
                "Initializer is provided."
            )
        return self.default_init
