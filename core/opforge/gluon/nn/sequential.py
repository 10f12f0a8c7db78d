"""`Sequential` and `HybridSequential`: blocks that run in sequence."""

import warnings
from collections.abc import Iterator
from typing import Any

from ..base_block import Block, _list_blocks
from ..hybrid_block import HybridBlock

__all__ = ["HybridSequential", "Sequential"]


class _Stack(Block):
    """Base class of both containers: adding, indexing, iteration, repr."""

    _only_passes = True

    def add(self, *blocks: Block) -> None:
        """Append blocks to the end."""
        for block in blocks:
            self.register_child(block)

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

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon.nn import Lambda
    >>> net = Sequential()
    >>> net.add(Lambda(lambda x: x + 1), Lambda(lambda x: x * 2))
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
    """Run hybrid blocks in sequence."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Pass `x` to the first block, its output to the second, and so on."""
        for block in self._children.values():
            x = block(x)
        return x
