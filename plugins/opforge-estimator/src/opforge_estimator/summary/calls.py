"""Calls of the blocks of a network in one run, as a tree."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from opforge.plugin_api import Block, autograd

__all__ = ["Called", "blocks_of", "record_calls"]


@dataclass
class Called:
    """A block, as called by one other block.

    Parameters
    ----------
    block : Block
    name : str
        Name of the child in the calling block.
    depth : int
        Number of blocks around it.
    arguments, outputs : list
        Those of each call.
    children : dict of int to Called
        Blocks that it called, by identity, in the order of their first call.
    """

    block: Any
    name: str
    depth: int
    arguments: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    children: dict[int, "Called"] = field(default_factory=dict)

    def walk(self) -> Iterator["Called"]:
        """Yield this one and all below it, in the order of their first calls."""
        yield self
        for child in self.children.values():
            yield from child.walk()


def blocks_of(root: Any) -> list[Any]:
    """Return a block and its descendants, each once."""
    found: list[Any] = []
    root.apply(found.append)
    return list({id(block): block for block in found}.values())


def record_calls(root: Any, arguments: tuple[Any, ...]) -> Called:
    """Run a network in prediction mode and return the call of `root`.

    Hybridized blocks run imperatively, so that their children are called.
    """
    outer = Called(root, "", -1)
    stack = [outer]

    def enter(block: Any, given: Any) -> None:
        caller = stack[-1]
        known = caller.children.get(id(block))
        if known is None:
            names = {id(child): name for name, child in caller.block._children.items()}
            name = names.get(id(block), block.name)
            known = caller.children[id(block)] = Called(block, name, caller.depth + 1)
        known.arguments.append(given)
        stack.append(known)

    def leave(block: Any, given: Any, outputs: Any) -> None:
        del block, given
        stack.pop().outputs.append(outputs)

    blocks = blocks_of(root)
    with ExitStack() as scopes:
        scopes.enter_context(_imperative(blocks))
        scopes.enter_context(autograd.pause(train_mode=False))
        for block in blocks:
            scopes.enter_context(block.register_forward_pre_hook(enter))
            scopes.enter_context(block.register_forward_hook(leave))
        root(*arguments)
    (found,) = outer.children.values()
    return found


@contextmanager
def _imperative(blocks: list[Block]) -> Iterator[None]:
    """Deactivate the graphs of hybridized blocks, without discarding them."""
    active = [block for block in blocks if getattr(block, "_active", False)]
    for block in active:
        block._active = False
    try:
        yield
    finally:
        for block in active:
            block._active = True
