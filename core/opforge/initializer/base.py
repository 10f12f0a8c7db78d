"""`Initializer`, `InitDesc` and the registry of initializers."""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.errors import AttributeValueError
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry

__all__ = ["InitDesc", "Initializer", "alias", "create", "register"]

#: Ends of names, and the method that fills such an array when nothing was said for it.
_SUFFIXES = (
    ("weight", "_init_weight"),
    ("bias", "_init_bias"),
    ("gamma", "_init_gamma"),
    ("beta", "_init_beta"),
    ("min", "_init_zero"),
    ("max", "_init_one"),
    ("moving_mean", "_init_zero"),
    ("running_mean", "_init_zero"),
    ("moving_var", "_init_one"),
    ("running_var", "_init_one"),
    ("moving_inv_var", "_init_zero"),
    ("moving_avg", "_init_zero"),
)


class InitDesc(str):
    """The name of an array to fill, with what else is known about it.

    Parameters
    ----------
    name : str
    attrs : mapping, optional
        ``attrs["__init__"]``, an initializer or what describes one, overrules the called one.
    global_init : Initializer, optional
        What fills arrays for which nothing else was asked.
    """

    attrs: dict[str, Any]
    global_init: "Initializer | None"

    def __new__(
        cls,
        name: str,
        attrs: Mapping[str, Any] | None = None,
        global_init: "Initializer | None" = None,
    ) -> "InitDesc":
        """Make the name; see the class."""
        made = super().__new__(cls, name)
        made.attrs = dict(attrs or {})
        made.global_init = global_init
        return made


class Initializer:
    """Base of all initializers; subclasses define `_init_weight`.

    Parameters
    ----------
    **kwargs
        The constructor's arguments, written by `dumps`.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Callable[[NDArray], str] | None = None

    def __call__(self, desc: str, arr: NDArray) -> None:
        """Fill `arr`.

        Parameters
        ----------
        desc : InitDesc or str
            Without a wish of its own (``desc.attrs["__init__"]``) the end of the name decides:
            ``bias``, ``beta`` and running means are zero, ``gamma`` and running variances one.
        arr : NDArray
            Written in place.
        """
        if not isinstance(desc, InitDesc):
            desc = InitDesc(desc)
        if desc.global_init is None:
            desc.global_init = self
        wish = desc.attrs.get("__init__", "")
        if wish is not None and not (isinstance(wish, str) and wish == ""):
            chosen = _wished(desc, wish)
            chosen._init_weight(desc, arr)
            self._log(desc, chosen, arr)
            return
        for suffix, method in _SUFFIXES:
            if desc.endswith(suffix):
                getattr(self, method)(desc, arr)
                self._log(desc, self, arr)
                return
        self._init_default(desc, arr)

    def set_verbosity(
        self, verbose: bool = False, print_func: Callable[[NDArray], str] | None = None
    ) -> "Initializer":
        """Log each filled array with what `print_func` makes of it (default: norm/sqrt(size))."""
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """Return name and arguments as JSON, which `create` reads.

        Examples
        --------
        >>> create("uniform", scale=0.5).dumps()
        '["uniform", {"scale": 0.5}]'
        """
        return json.dumps([type(self).__name__.lower(), self._kwargs], default=_plain)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{key}={value!r}" for key, value in self._kwargs.items())
        return f"{type(self).__name__}({arguments})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Initializer):
            return NotImplemented
        return type(self) is type(other) and self.dumps() == other.dumps()

    def __hash__(self) -> int:
        return hash(type(self))

    def _log(self, desc: InitDesc, chosen: "Initializer", arr: NDArray) -> None:
        if self._verbose:
            show = self._print_func or _norm_per_element
            logging.info("Initialized %s as %s: %s", desc, type(chosen).__name__, show(arr))

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        """Fill `arr`, whatever its name; every subclass defines it."""
        raise NotImplementedError(f"{type(self).__name__} must define _init_weight(desc, arr)")

    def _init_bias(self, desc: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_gamma(self, desc: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_beta(self, desc: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_zero(self, desc: str, arr: NDArray) -> None:
        arr[:] = 0.0

    def _init_one(self, desc: str, arr: NDArray) -> None:
        arr[:] = 1.0

    def _init_default(self, desc: str, arr: NDArray) -> None:
        raise ValueError(
            f"Unknown initialization pattern for {desc}. Default initialization is now limited to "
            '"weight", "bias", "gamma" (1.0), and "beta" (0.0). Give the array an initializer of '
            "its own, for instance init=opforge.init.Zero()."
        )


def _norm_per_element(arr: NDArray) -> str:
    values = arr.asnumpy().astype(np.float64)
    return str((np.linalg.norm(values.ravel()) / max(values.size, 1) ** 0.5,))


def _plain(value: Any) -> Any:
    """Return `value` as something JSON has: arrays as lists, NumPy scalars as numbers."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Initializer):
        return value.dumps()
    raise TypeError(f"an initializer's argument cannot be written as JSON: {value!r}")


_registry: NameRegistry[Initializer] = NameRegistry(Initializer, "initializer")


def register(cls: type[Initializer]) -> type[Initializer]:
    """Register an initializer class under its lower-case name; usable as a decorator.

    Examples
    --------
    >>> @register
    ... class Half(Initializer):
    ...     def _init_weight(self, desc, arr):
    ...         arr[:] = 0.5
    >>> create("half")
    Half()
    """
    return _registry.register(cls)


def alias(*names: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Return a class decorator that registers further names."""
    return _registry.alias(*names)


def _wished(desc: InitDesc, wish: Any) -> Initializer:
    """Return the initializer that a variable asks for; its text may be from a damaged file."""
    if not isinstance(wish, str):
        return create(wish)
    try:
        return create(wish)
    except (ValueError, TypeError, RecursionError) as error:
        raise AttributeValueError(
            f"variable {str(desc)!r}: its attribute __init__ is {wish!r:.60}, expected the name of "
            f"an initializer or what its dumps() returned: {error}"
        ) from error


def create(spec: Any, **kwargs: Any) -> Initializer:
    """Return the initializer that a name, JSON text or instance describes.

    Raises
    ------
    ValueError
        No initializer has this name.
    """
    return _registry.create(spec, **kwargs)
