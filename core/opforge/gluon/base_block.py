"""`Block`: base class of all layers and networks.

Children and parameters of a block are its attributes: `__setattr__` registers them in `_children`
and `_reg_params`. Calling a block runs hooks and `forward`.
"""

import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Never

from .. import ndarray as nd
from ..base.context import Context
from ..base.dtypes import code_of
from ..base.familiar_names import BLOCK_NAMES
from ..base.name_hints import add_hints, unexpected_arguments
from .block_scope import BlockScope
from .block_table import block_html
from .hooks import HookHandle
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .saved_block import SavedBlock
from .summary import print_summary

__all__ = ["Block"]


@add_hints(BLOCK_NAMES)
class Block(SavedBlock):
    """Base class of layers and networks that run imperatively.

    Parameters
    ----------
    prefix : str, optional
        Prefix of the names of parameters and children created in `name_scope`; default: the
        lower-case class name with a number.
    params : ParameterDict, optional
        Parameters to share; usually another block's `params`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import Block
    >>> class Scale(Block):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = self.params.get("factor", shape=(1,), init="ones")
    ...     def forward(self, x):
    ...         return x * self.factor.data(x.context)
    >>> scale = Scale(prefix="scale_")
    >>> scale.initialize()
    >>> scale(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 2.0]
    """

    #: Whether the block only passes values between children; summaries omit such blocks.
    _only_passes = False

    def __init__(
        self,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        **unknown: Never,
    ) -> None:
        if unknown:
            raise unexpected_arguments(type(self), unknown)
        is_open = prefix == ""
        self._prefix, self._params = BlockScope.create(prefix, params, self._alias())
        self._name = self._prefix.removesuffix("_")
        self._scope = BlockScope(self._prefix, self._params, is_open)
        self._children: dict[str, Block] = {}
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: dict[int, Callable[..., Any]] = {}
        self._forward_pre_hooks: dict[int, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        children = ((k, v) for k, v in self.__dict__.items() if isinstance(v, Block))
        listed = _list_blocks(children)
        return f"{type(self).__name__}(\n{listed}\n)" if listed else f"{type(self).__name__}()"

    def _repr_html_(self) -> str:
        return block_html(self)

    def __setattr__(self, name: str, value: Any) -> None:
        existing = self.__dict__.get(name)
        if isinstance(existing, Parameter | Block) and not isinstance(value, type(existing)):
            raise TypeError(
                f"Changing attribute type for {name} from {type(existing)} to {type(value)} "
                "is not allowed."
            )
        if isinstance(value, Parameter | Block) and "_children" not in self.__dict__:
            kind = type(self).__name__
            raise AttributeError(
                f"{kind!r} object cannot have the block or parameter {name!r} yet: call "
                f"super().__init__() first in {kind}.__init__"
            )
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            assert name not in self._reg_params, (
                f"Overriding Parameter attribute {name} is not allowed. If you want to share "
                "parameters between blocks, please set 'params' at Block construction instead."
            )
            self._reg_params[name] = value
        object.__setattr__(self, name, value)

    # -- names and structure ------------------------------------------------------------------

    def _alias(self) -> str:
        """Return the prefix of automatic names."""
        return type(self).__name__.lower()

    @property
    def prefix(self) -> str:
        """Prefix of the names of this block's parameters."""
        return self._prefix

    @property
    def name(self) -> str:
        """Name of this block: its prefix without the last underscore."""
        return self._name

    def name_scope(self) -> BlockScope:
        """Return a context in which new children and parameters get this block's prefix.

        Examples
        --------
        >>> net = Block(prefix="net_")
        >>> with net.name_scope():
        ...     Block().name
        'net_block0'
        """
        return self._scope

    @property
    def params(self) -> ParameterDict:
        """Parameters of the block itself, without those of its children."""
        return self._params

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Return the parameters of this block and all its children.

        Parameters
        ----------
        select : str, optional
            Regular expression that full names must match from the start.
        """
        self._warn_of_hidden_blocks()
        found = ParameterDict(self._params.prefix)
        if not select:
            found.update(self.params)
        else:
            pattern = re.compile(select)
            found.update({k: v for k, v in self.params.items() if pattern.match(k)})
        for child in self._children.values():
            found.update(child.collect_params(select=select))
        return found

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return the parameters by structural name, such as ``"0.weight"``."""
        if prefix:
            prefix += "."
        found = {prefix + key: param for key, param in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child._collect_params_with_prefix(prefix + name))
        return found

    def register_child(self, block: "Block", name: str | None = None) -> None:
        """Make `block` a child; assigning it to an attribute does the same."""
        self._children[str(len(self._children)) if name is None else name] = block

    def _warn_of_hidden_blocks(self) -> None:
        """Warn of blocks in lists and dicts, which are not registered."""
        children = {id(child) for child in self._children.values()}
        for name, value in self.__dict__.items():
            if name.startswith("__") or name == "_children":
                continue
            if isinstance(value, list | tuple | dict) and _holds_other_block(value, children):
                warnings.warn(
                    f'"{type(self).__name__}.{name}" is an unregistered container with Blocks. '
                    "Note that Blocks inside the list, tuple or dict will not be registered "
                    "automatically. Make sure to register them using register_child() or "
                    "switching to nn.Sequential/nn.HybridSequential instead.",
                    stacklevel=3,
                )

    # -- execution ----------------------------------------------------------------------------

    def __call__(self, *args: Any) -> nd.NDArray:
        """Run the pre-hooks, `forward` and the hooks; return the result of `forward`."""
        if self._forward_pre_hooks:
            for hook in list(self._forward_pre_hooks.values()):
                hook(self, args)
        out = self.forward(*args)
        if self._forward_hooks:
            for hook in list(self._forward_hooks.values()):
                hook(self, args, out)
        return out

    def forward(self, *args: Any) -> Any:
        """Compute the output; subclasses must define it."""
        raise NotImplementedError(f"{type(self).__name__} must define forward(self, x, ...)")

    def register_forward_pre_hook(self, hook: Callable[["Block", Any], None]) -> HookHandle:
        """Call ``hook(block, inputs)`` before each `forward`; `inputs` is a tuple."""
        return HookHandle(self._forward_pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[["Block", Any, Any], None]) -> HookHandle:
        """Call ``hook(block, inputs, output)`` after each `forward`."""
        return HookHandle(self._forward_hooks, hook)

    def register_op_hook(
        self, callback: Callable[[bytes, bytes, nd.NDArray], Any], monitor_all: bool = False
    ) -> None:
        """Monitor the operators of hybridized blocks; see `HybridBlock.register_op_hook`."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def apply(self, fn: Callable[["Block"], Any]) -> "Block":
        """Call `fn` with every child, recursively, then with this block; return this block."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Make all hybrid children run as graphs; see `HybridBlock.hybridize`."""
        for child in self._children.values():
            child.hybridize(active, **kwargs)

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to `dtype`.

        Raises
        ------
        DTypeError
            `dtype` is not an element type; nothing is converted.
        """
        code_of(dtype)
        for child in self._children.values():
            child.cast(dtype)
        for param in self.params.values():
            param.cast(dtype)

    def zero_grad(self) -> None:
        """Fill the gradients of all parameters with 0."""
        self.collect_params().zero_grad()

    def reset_ctx(self, ctx: Context | Sequence[Context] | None) -> None:
        """Move all parameters to the contexts `ctx`."""
        self.collect_params().reset_ctx(ctx)

    def summary(self, *inputs: Any) -> None:
        """Print the layers, output shapes and parameter counts of one run on `inputs`.

        Raises
        ------
        AssertionError
            A block was hybridized, so its children do not run separately.
        ValueError
            There are no inputs.
        """
        if not inputs:
            raise ValueError(
                f"{type(self).__name__}.summary needs an input: net.summary(x), or "
                "mx.summary(net, shape) with the shape of one"
            )
        print_summary(self, inputs)

    # -- values -------------------------------------------------------------------------------

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initialize all parameters; see `ParameterDict.initialize`.

        Parameters
        ----------
        init : Initializer or str, default Uniform(0.07)
            For parameters without their own initializer.
        ctx : Context or list of Context, optional
            One copy is kept on each context.
        verbose : bool, default False
        force_reinit : bool, default False
            Replace existing values; by default, they are kept with a warning.
        """
        self.collect_params().initialize(init, ctx, verbose, force_reinit)


def _list_blocks(blocks: Any) -> str:
    """Return one indented line ``(name): repr`` for each block."""
    lines = []
    for name, block in blocks:
        first, *rest = repr(block).split("\n")
        lines.extend([f"  ({name}): {first}", *("  " + line for line in rest)])
    return "\n".join(lines)


def _holds_other_block(value: Any, known: set[int]) -> bool:
    """Return whether a (nested) container has a block whose id is not in `known`."""
    if isinstance(value, Block):
        return id(value) not in known
    if isinstance(value, dict):
        return any(_holds_other_block(v, known) for v in value.values())
    if isinstance(value, list | tuple):
        return any(_holds_other_block(v, known) for v in value)
    return False
