"""Notebook representation of a block: its children, their settings and their parameters."""

import math
from collections.abc import Iterator
from typing import Any

from ..base.html_tables import html_cell, html_table, html_text

__all__ = ["block_html"]

_MOST_ROWS = 200
_LONGEST = 120
_LEFT = "text-align:left"


def block_html(block: Any) -> str:
    """Return an HTML table of a block and its descendants.

    Parameters
    ----------
    block : Block
        Only the first 200 blocks are shown.

    Examples
    --------
    >>> from opforge.gluon import Block
    >>> "outer" in block_html(Block(prefix="outer_"))
    True
    """
    parameters = list(block.collect_params().values())
    known = [math.prod(p.shape) for p in parameters if _is_known(p.shape)]
    total = f"{len(parameters)} parameters of {sum(known):,} numbers"
    if len(known) < len(parameters):
        total += f", {len(parameters) - len(known)} of which get their shape in the first call"
    table = html_table(_rows(block, "", 0), ("name", "block", "parameters", "numbers"), _MOST_ROWS)
    return html_text(f"{block.name}: {total}") + table


def _rows(block: Any, name: str, depth: int) -> Iterator[list[str]]:
    """Yield the row of a block and those of its descendants."""
    own = {key: p.shape for key, p in block._reg_params.items()}
    shapes = ", ".join(f"{key} {_shape(shape)}" for key, shape in own.items())
    numbers = [math.prod(shape) for shape in own.values() if _is_known(shape)]
    indent = f"padding-left:{6 + 12 * min(depth, 20)}px"
    yield [
        html_cell(name or block.name, f"{_LEFT};{indent}"),
        html_cell(_settings(block), _LEFT),
        html_cell(shapes, _LEFT),
        html_cell(f"{sum(numbers):,}" if numbers else ""),
    ]
    for key, child in block._children.items():
        yield from _rows(child, key, depth + 1)


def _settings(block: Any) -> str:
    """Return the representation of a block; for a block with children, its class name."""
    if block._children:
        return type(block).__name__
    text = " ".join(repr(block).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _is_known(shape: Any) -> bool:
    return bool(shape) and all(size > 0 for size in shape)


def _shape(shape: Any) -> str:
    return "x".join(str(size) if size > 0 else "?" for size in shape) if shape else "?"
