"""`Sequential` and `HybridSequential`: blocks that run in sequence."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ..base_block import Block, _list_blocks
from ..hybrid_block import HybridBlock
from ..parameter_dict import ParameterDict

__all__ = ["HybridSequential", "Sequential"]


class _Stack(Block):
    """Base class of both containers: adding, indexing, iteration, repr."""

    _only_passes = True

    def __init__(
        self, *blocks: Any, prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        if blocks and (blocks[0] is None or isinstance(blocks[0], str)):  # MXNet's parameters
            prefix, params = (*blocks, params)[:2]
            blocks = ()
        super().__init__(prefix=prefix, params=params)
        if len(blocks) == 1 and isinstance(blocks[0], Mapping):
            for name, block in blocks[0].items():
                self._add_named(name, block)
        elif len(blocks) == 1 and isinstance(blocks[0], list | tuple):
            self.add(*blocks[0])
        else:
            self.add(*blocks)

    def add(self, *blocks: Block) -> None:
        """Append blocks to the end."""
        for block in blocks:
            self.register_child(self._expect_block(block))

    def _add_named(self, name: str, block: Block) -> None:
        """Append a block that is also an attribute."""
        if hasattr(type(self), name):
            raise ValueError(f"{type(self).__name__}: {name!r} is a method; choose another name")
        setattr(self, name, self._expect_block(block))

    def _expect_block(self, block: Any) -> Block:
        if not isinstance(block, Block):
            kind = "HybridLambda" if isinstance(self, HybridBlock) else "Lambda"
            advice = f"; wrap functions: nn.{kind}(function)" if callable(block) else ""
            raise TypeError(
                f"{type(self).__name__} got {block!r:.60} of type {type(block).__name__}, "
                f"expected a block such as nn.Dense(10){advice}"
            )
        return block

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n{_list_blocks(self._children.items())}\n)"

    def __getitem__(self, key: int | slice) -> Any:
        layers = list(self._children.values())[key]
        if isinstance(layers, list):
            net = type(self)(prefix=self._prefix)
            with net.name_scope():
                net.add(*layers)
            return net
        return layers

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(list(self._children.values()))


class Sequential(_Stack):
    """Run blocks in sequence.

    Parameters
    ----------
    *blocks : Block, or one list of Block, or one dict of Block by name
        The blocks, as `add` takes them; those of a dict also become attributes.
    prefix : str, optional
    params : ParameterDict, optional
        As in `Block`; MXNet's programs may pass both by position.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Lambda, Sequential
    >>> net = Sequential(Lambda(lambda x: x + 1), Lambda(lambda x: x * 2))
    >>> net(nd.array([1])).asnumpy().tolist()
    [4.0]
    """

    def forward(self, x: Any) -> Any:
        """Pass `x` to the first block, its output to the second, and so on."""
        for block in self._children.values():
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Make all hybrid children run as graphs.

        Warns if all children are hybrid, because `HybridSequential` is better in that case.
        """
        if self._children and all(isinstance(b, HybridBlock) for b in self._children.values()):
            warnings.warn(
                f"All children of this Sequential layer '{self.prefix}' are HybridBlocks. "
                "Consider using HybridSequential for the best performance.",
                stacklevel=2,
            )
        super().hybridize(active, **kwargs)


class HybridSequential(_Stack, HybridBlock):
    """Run hybrid blocks in sequence.

    Parameters
    ----------
    *blocks, prefix, params
        As in `Sequential`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import HybridLambda, HybridSequential
    >>> net = HybridSequential({"double": HybridLambda(lambda F, x: 2 * x)})
    >>> net.double(nd.array([1])).asnumpy().tolist()
    [2.0]
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Pass `x` to the first block, its output to the second, and so on."""
        for block in self._children.values():
            x = block(x)
        return x
