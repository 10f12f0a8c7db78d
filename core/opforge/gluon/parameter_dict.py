"""`ParameterDict`: the parameters of a block by name, and the prefix of new ones."""

import textwrap
from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any

import numpy as np

from .. import initializer
from ..base.context import Context
from ..ndarray import NDArray
from .constant import Constant
from .parameter import Parameter
from .saved_parameters import SavedParameters

__all__ = ["ParameterDict"]


class ParameterDict(SavedParameters):
    """Ordered parameters by full name.

    Parameters
    ----------
    prefix : str, default ""
        Prefix of the names of parameters that `get` creates.
    shared : ParameterDict, optional
        Dictionary that `get` searches before it creates a parameter.

    Examples
    --------
    >>> params = ParameterDict("block1_")
    >>> params.get("weight", shape=(5, 5))
    Parameter block1_weight (shape=(5, 5), dtype=<class 'numpy.float32'>)
    >>> params
    block1_ (
      Parameter block1_weight (shape=(5, 5), dtype=<class 'numpy.float32'>)
    )
    """

    def __init__(self, prefix: str = "", shared: "ParameterDict | None" = None) -> None:
        self._prefix = prefix
        self._params: dict[str, Parameter] = {}
        self._shared = shared

    def __repr__(self) -> str:
        name = self._prefix + " " if self._prefix else ""
        content = "\n".join(textwrap.indent(repr(p), "  ") for p in self.values())
        return f"{name}(\n{content}\n)"

    def __getitem__(self, key: str) -> Parameter:
        return self._params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __contains__(self, key: object) -> bool:
        return key in self._params

    def __len__(self) -> int:
        return len(self._params)

    def __bool__(self) -> bool:
        return True  # programs written for MXNet use `if params:` as a test for None

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._params.keys()

    def values(self) -> ValuesView[Parameter]:
        """Return the parameters."""
        return self._params.values()

    def items(self) -> ItemsView[str, Parameter]:
        """Return the pairs of name and parameter."""
        return self._params.items()

    @property
    def prefix(self) -> str:
        """Prefix of the names that `get` makes."""
        return self._prefix

    def get(self, name: str, **kwargs: Any) -> Parameter:
        """Return the parameter `prefix + name`, created from `kwargs` if it does not exist.

        Parameters
        ----------
        name : str
            Name without the prefix.
        **kwargs
            Arguments of `Parameter`. They must agree with those of an existing parameter; unknown
            dimensions of either shape are filled from the other.

        Raises
        ------
        AssertionError
            An argument contradicts the existing parameter.
        """
        name = self.prefix + name
        param = self._find(name)
        if param is None:
            param = self._params[name] = Parameter(name, **kwargs)
        else:
            for key, value in kwargs.items():
                _agree(param, key, value)
        return param

    def rename(self, before: str, prefix: str) -> None:
        """Replace the prefix, also in the names of the parameters.

        Parameters
        ----------
        before : str
            Old prefix; parameters with other prefixes belong to another block and are kept.
        prefix : str
        """
        self._prefix = prefix
        renamed = {}
        for name, param in self._params.items():
            if name.startswith(before):
                name = prefix + name.removeprefix(before)
                param.name, param._var = name, None
            renamed[name] = param
        self._params = renamed

    def get_constant(self, name: str, value: Any = None) -> Constant:
        """Return the constant `prefix + name`, created with `value` if it does not exist.

        Raises
        ------
        KeyError
            It does not exist and no value was given.
        AssertionError
            The name belongs to a trained parameter or to a constant with another value.
        """
        name = self.prefix + name
        param = self._find(name)
        if param is None:
            if value is None:
                raise KeyError(
                    f"No constant named '{name}'. Please specify value if you want to create a "
                    "new constant."
                )
            constant = self._params[name] = Constant(name, value)
            return constant
        assert isinstance(param, Constant), (
            f"Parameter '{name}' already exists but it is not a constant."
        )
        if value is not None:
            wanted = np.asarray(value.asnumpy() if isinstance(value, NDArray) else value)
            assert param.shape == wanted.shape and (param.value.asnumpy() == wanted).all(), (
                f"Constant '{name}' already exists but it's value doesn't match new value"
            )
        return param

    def update(self, other: "ParameterDict | Mapping[str, Parameter]") -> None:
        """Add all parameters of `other`.

        Raises
        ------
        AssertionError
            Two different parameters have the same name.
        """
        for name, param in other.items():
            assert self._params.get(name, param) is param, (
                "Cannot update self with other because they have different Parameters with the "
                f"same name '{name}'"
            )
        self._params.update(other.items())

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; for the arguments see `Parameter.initialize`.

        Parameters
        ----------
        init : Initializer or str, default Uniform(0.07)
            For parameters without their own initializer.
        ctx : Context or list of Context, optional
        verbose : bool, default False
            Log the initialization of each parameter.
        force_reinit : bool, default False
        """
        init = initializer.Uniform() if init is None else initializer.create(init)
        if verbose:
            init.set_verbosity(verbose=verbose)
        for param in self.values():
            param.initialize(None, ctx, init, force_reinit=force_reinit)

    def zero_grad(self) -> None:
        """Fill all gradients with 0."""
        for param in self.values():
            param.zero_grad()

    def reset_ctx(self, ctx: Context | Sequence[Context] | None) -> None:
        """Move all parameters to the contexts `ctx`."""
        for param in self.values():
            param.reset_ctx(ctx)

    def list_ctx(self) -> list[Context]:
        """Return the contexts of all parameters, without duplicates."""
        found: dict[Context, None] = {}
        for param in self.values():
            found.update(dict.fromkeys(param.list_ctx()))
        return list(found)

    def setattr(self, name: str, value: Any) -> None:
        """Set an attribute of all parameters, for instance ``setattr("grad_req", "null")``."""
        for param in self.values():
            setattr(param, name, value)

    def _find(self, name: str) -> Parameter | None:
        param = self._params.get(name)
        if param is None and self._shared is not None:
            param = self._shared._find(name)
            if param is not None:
                self._params[name] = param
        return param


def _agree(param: Parameter, key: str, value: Any) -> None:
    """Check a requested attribute against that of `param`, or set it if it is missing."""
    existing = getattr(param, key, None)
    if existing is None:
        setattr(param, key, value)
        return
    if key == "shape" and value is not None:
        value = (value,) if isinstance(value, int) else tuple(value)
        if len(value) == len(existing) and all(
            a == b or a <= 0 or b <= 0 for a, b in zip(value, existing, strict=True)
        ):
            param._shape = tuple(max(a, b) for a, b in zip(value, existing, strict=True))
            return
    if key == "dtype" and np.dtype(value) == np.dtype(existing):
        return
    assert value is None or value == existing, (
        f"Cannot retrieve Parameter '{param.name}' because desired attribute does not match with "
        f"stored for attribute '{key}': desired '{value}' vs stored '{existing}'."
    )
