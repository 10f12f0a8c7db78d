"""`Initializer`, `InitDesc` and the registry of initializers."""

import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.errors import AttributeValueError
from ..ndarray import NDArray
from ..op.registry.named import NameRegistry

__all__ = ["DEFAULT_KINDS", "InitDesc", "Initializer", "alias", "create", "register"]

#: Suffixes of names, and the method that fills such arrays unless an initializer is requested.
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
#: Suffixes of the names of arrays that have a default value.
DEFAULT_KINDS = tuple(suffix for suffix, method in _SUFFIXES if method != "_init_weight")


class InitDesc(str):
    """Name of an array to fill, with its attributes.

    Parameters
    ----------
    name : str
    attrs : mapping, optional
        ``attrs["__init__"]``, an initializer or its description, overrides the one called.
    global_init : Initializer, optional
        Initializer of the arrays that do not request one.
    """

    attrs: dict[str, Any]
    global_init: "Initializer | None"

    def __new__(
        cls,
        name: str,
        attrs: Mapping[str, Any] | None = None,
        global_init: "Initializer | None" = None,
    ) -> "InitDesc":
        """Create the name; see the class."""
        desc = super().__new__(cls, name)
        desc.attrs = dict(attrs or {})
        desc.global_init = global_init
        return desc


class Initializer:
    """Base class of initializers; subclasses define `_init_weight`.

    Parameters
    ----------
    **kwargs
        Arguments of the constructor, which `dumps` writes.
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
            Unless it requests an initializer (``desc.attrs["__init__"]``), the suffix of the name
            decides: ``bias``, ``beta`` and running means are zero, ``gamma`` and running variances
            one. For a plain str, prefixes do so too, as in MXNet: ``upsampling`` is bilinear, and
            ``stn_loc`` the identity of a spatial transformer.
        arr : NDArray
            Written in place.
        """
        if not isinstance(desc, InitDesc):
            if self._init_by_prefix(desc, arr):
                return
            desc = InitDesc(desc)
        if desc.global_init is None:
            desc.global_init = self
        requested = desc.attrs.get("__init__", "")
        if requested is not None and not (isinstance(requested, str) and requested == ""):
            initializer = _requested_initializer(desc, requested)
            initializer._init_weight(desc, arr)
            self._log(desc, initializer, arr)
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
        """Log each filled array with the result of `print_func` (default: norm/sqrt(size))."""
        self._verbose = verbose
        self._print_func = print_func
        return self

    def dumps(self) -> str:
        """Return name and arguments as JSON for `create`.

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

    def _init_by_prefix(self, name: str, arr: NDArray) -> bool:
        """Fill `arr` if the prefix of its name implies the values; return whether it does."""
        if name.startswith("upsampling"):
            create("bilinear")._init_weight(name, arr)
        elif name.startswith("stn_loc") and name.endswith("weight"):
            self._init_zero(name, arr)
        elif name.startswith("stn_loc") and name.endswith("bias"):
            arr[:] = np.array([1, 0, 0, 0, 1, 0])
        else:
            return False
        return True

    def _log(self, desc: InitDesc, initializer: "Initializer", arr: NDArray) -> None:
        if self._verbose:
            show = self._print_func or _norm_per_element
            logging.info("Initialized %s as %s: %s", desc, type(initializer).__name__, show(arr))

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        """Fill `arr` regardless of its name; every subclass defines it."""
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
            '"weight", "bias", "gamma" (1.0), and "beta" (0.0). Request an initializer for the '
            "array, for instance init=opforge.init.Zero()."
        )


def _norm_per_element(arr: NDArray) -> str:
    values = arr.asnumpy().astype(np.float64)
    return str((np.linalg.norm(values.ravel()) / max(values.size, 1) ** 0.5,))


def _plain(value: Any) -> Any:
    """Return `value` as a JSON type: arrays as lists, NumPy scalars as numbers."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Initializer):
        return value.dumps()
    raise TypeError(f"an initializer's argument cannot be serialized as JSON: {value!r}")


_registry: NameRegistry[Initializer] = NameRegistry(Initializer, "initializer")


def register(klass: type[Initializer]) -> type[Initializer]:
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
    return _registry.register(klass)


def alias(*names: str) -> Callable[[type[Initializer]], type[Initializer]]:
    """Return a class decorator that registers additional names."""
    return _registry.alias(*names)


def _requested_initializer(desc: InitDesc, spec: Any) -> Initializer:
    """Return the initializer that a variable requests; its text may be from a damaged file."""
    if not isinstance(spec, str):
        return create(spec)
    try:
        return create(spec)
    except (ValueError, TypeError, RecursionError) as error:
        raise AttributeValueError(
            f"variable {str(desc)!r}: attribute __init__ is {spec!r:.60}; expected the name of an "
            f"initializer or the result of its dumps(): {error}"
        ) from error


def create(spec: Any, **kwargs: Any) -> Initializer:
    """Return the initializer described by a name, JSON text or instance.

    Raises
    ------
    ValueError
        No initializer has this name.
    """
    return _registry.create(spec, **kwargs)
