"""`summary`: run a network once and return a table of its layers."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from ..arrays import leaves
from .calls import Called, record_calls
from .multiply_adds import multiply_adds

__all__ = ["Row", "Summary", "summary"]

_MEGABYTE = 1_000_000
_HEADINGS = ("Layer", "Output shape", "Parameters", "Multiply-adds")


@dataclass(frozen=True)
class Row:
    """A layer in a `Summary`.

    Parameters
    ----------
    name, kind : str
        Name in the block that calls it, and its class.
    depth : int
        Number of blocks around it.
    calls : int
        Number of calls by that block.
    output_shape : tuple or list
        Shape of its output in the last call; a list for several outputs.
    params : int
        Size of its own parameters, without those of earlier rows.
    is_shared : bool
        Whether all its own parameters belong to earlier rows.
    mult_adds : int or None
        Multiply-adds of all calls, without those of layers below; None if unknown.
    """

    name: str
    kind: str
    depth: int
    calls: int
    output_shape: Any
    params: int
    is_shared: bool
    mult_adds: int | None

    def cells(self) -> tuple[str, str, str, str]:
        """Return the texts of the row, with indentation."""
        repeated = f" x{self.calls}" if self.calls > 1 else ""
        title = f"{self.name}: {self.kind}" if self.depth else self.kind
        params = "shared" if self.is_shared else f"{self.params:,}" if self.params else "-"
        mult_adds = "?" if self.mult_adds is None else f"{self.mult_adds:,}"
        return (
            f"{'  ' * self.depth}{title}{repeated}",
            _shape_text(self.output_shape),
            params,
            "-" if mult_adds == "0" else mult_adds,
        )


@dataclass(frozen=True)
class Summary:
    """Layers of a network and their totals; `print` shows a table, a notebook an HTML table.

    Parameters
    ----------
    rows : tuple of Row
        Layers in the order of their first calls, each below the block that calls it.
    total_params, trainable_params : int
        Size of the network's parameters, each counted once; trainable ones have a gradient.
    input_bytes, output_bytes, param_bytes : int
        Memory of the inputs, of the outputs of all layers without layers below, and of the
        parameters.
    """

    rows: tuple[Row, ...]
    total_params: int
    trainable_params: int
    input_bytes: int
    output_bytes: int
    param_bytes: int

    @property
    def non_trainable_params(self) -> int:
        """Size of the parameters without a gradient."""
        return self.total_params - self.trainable_params

    @property
    def mult_adds(self) -> int:
        """Multiply-adds of all layers where they are known."""
        return sum(row.mult_adds or 0 for row in self.rows)

    @property
    def total_bytes(self) -> int:
        """Memory of inputs, outputs and parameters."""
        return self.input_bytes + self.output_bytes + self.param_bytes

    def __str__(self) -> str:
        cells = [_HEADINGS, *(row.cells() for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = [
            "  ".join(
                text.ljust(width) if at < 2 else text.rjust(width)
                for at, (text, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in cells
        ]
        rule = "-" * max(map(len, lines))
        lines = [lines[0], rule, *lines[1:], rule]
        lines += [f"{label}: {value}" for label, value in self._totals()]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(text)}</th>" for text in _HEADINGS)
        lines = []
        for row in self.rows:
            title, *others = row.cells()
            first = f'<td style="text-align:left;padding-left:{row.depth + 0.5}em">'
            cells = "".join(f"<td>{escape(text)}</td>" for text in others)
            lines.append(f"<tr>{first}{escape(title.strip())}</td>{cells}</tr>")
        totals = "<br>".join(f"{escape(label)}: {escape(value)}" for label, value in self._totals())
        return f"<table><tr>{head}</tr>{''.join(lines)}</table><p>{totals}</p>"

    def _totals(self) -> Iterator[tuple[str, str]]:
        yield "Parameters", f"{self.total_params:,}"
        yield "Trainable parameters", f"{self.trainable_params:,}"
        yield "Non-trainable parameters", f"{self.non_trainable_params:,}"
        yield "Multiply-adds", f"{self.mult_adds:,}"
        if any(row.mult_adds is None for row in self.rows):
            yield "?", "the multiply-adds of a layer whose code has no graph are unknown"
        yield "Memory of inputs", _megabytes(self.input_bytes)
        yield "Memory of outputs", _megabytes(self.output_bytes)
        yield "Memory of parameters", _megabytes(self.param_bytes)
        yield "Memory in total", _megabytes(self.total_bytes)


def summary(net: Any, input: Any, dtype: Any = "float32") -> Summary:
    """Run a network once and return a table of its layers.

    Layers are nested as they call each other. A layer that is called several times has one row for
    each block that calls it. Parameters are counted once, also if layers share them. The network
    predicts, and stays hybridized if it is.

    Parameters
    ----------
    net : Block
        Its parameters are initialized.
    input : NDArray or numpy.ndarray, tuple of int, or a tuple or list of these
        The input, its shape, or those of several inputs; an input may be a list.
    dtype : str or type, default "float32"
        Element type of inputs that are given as shapes; their elements are 0.

    Returns
    -------
    Summary

    Raises
    ------
    TypeError
        `net` is not a block, or an input is neither an array nor a shape.

    Examples
    --------
    >>> import opforge
    >>> from opforge.gluon import nn
    >>> net = nn.HybridSequential(nn.Dense(4, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> table = opforge.summary(net, (8, 3))
    >>> table.total_params, table.mult_adds
    (26, 160)
    >>> print(table)
    Layer                Output shape  Parameters  Multiply-adds
    ------------------------------------------------------------
    HybridSequential     (8, 2)                 -              -
      0: Dense           (8, 4)                16             96
        act: Activation  (8, 4)                 -              -
      1: Dense           (8, 2)                10             64
    ------------------------------------------------------------
    Parameters: 26
    Trainable parameters: 26
    Non-trainable parameters: 0
    Multiply-adds: 160
    Memory of inputs: 0.000 MB
    Memory of outputs: 0.000 MB
    Memory of parameters: 0.000 MB
    Memory in total: 0.000 MB
    """
    if not hasattr(net, "register_forward_hook"):
        raise TypeError(f"summary needs a block such as nn.Dense(10), got {type(net).__name__}")
    context = _context(net)
    is_several = isinstance(input, list) or (isinstance(input, tuple) and not _is_shape(input))
    arguments = tuple(
        _as_array(value, dtype, context) for value in (input if is_several else [input])
    )
    root = record_calls(net, arguments)
    seen: set[int] = set()
    costs = {id(called): _multiply_adds(called) for called in root.walk()}
    rows = tuple(_row(called, seen, costs) for called in root.walk())
    sizes = [
        (prod(p.shape), nd.zeros(1, dtype=p.dtype).dtype, p.grad_req != "null")
        for p in net.collect_params().values()
        if p.shape and all(size > 0 for size in p.shape)
    ]
    return Summary(
        rows,
        sum(size for size, _, _ in sizes),
        sum(size for size, _, is_trained in sizes if is_trained),
        sum(map(_nbytes, _arrays(arguments))),
        sum(
            _nbytes(array)
            for called in root.walk()
            if not called.children
            for array in _arrays(called.outputs)
        ),
        sum(size * np.dtype(kind).itemsize for size, kind, _ in sizes),
    )


def _row(called: Called, seen: set[int], costs: dict[int, int | None]) -> Row:
    block = called.block
    own = list(block._reg_params.values())
    new = [p for p in own if id(p) not in seen]
    seen.update(map(id, own))
    return Row(
        called.name,
        type(block).__name__,
        called.depth,
        len(called.outputs),
        _shapes(called.outputs[-1]),
        sum(prod(p.shape) for p in new),
        bool(own) and not new,
        _own_multiply_adds(called, costs),
    )


def _own_multiply_adds(called: Called, costs: dict[int, int | None]) -> int | None:
    """Return the multiply-adds of a block without those of its children; None if unknown."""
    if called.block._only_passes:
        return 0
    own = costs[id(called)]
    for child in called.children.values():
        below = costs[id(child)]
        if own is None or below is None:
            return None
        own -= below
    return own


def _multiply_adds(called: Called) -> int | None:
    found = [multiply_adds(called.block, arguments) for arguments in called.arguments]
    known = [number for number in found if number is not None]
    return sum(known) if len(known) == len(found) else None


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(size, int | np.integer) for size in value)


def _as_array(value: Any, dtype: Any, context: Any) -> Any:
    if isinstance(value, nd.NDArray):
        return value
    if isinstance(value, np.ndarray):
        return nd.array(value, dtype=value.dtype, ctx=context)
    if _is_shape(value):
        return nd.zeros(value, dtype=dtype, ctx=context)
    if isinstance(value, list | tuple):
        return [_as_array(item, dtype, context) for item in value]
    raise TypeError(f"an input must be an array or a shape such as (1, 3), got {value!r}")


def _context(net: Any) -> Any:
    """Return the context of the first parameter; None for the current one."""
    for parameter in net.collect_params().values():
        return parameter.list_ctx()[0]
    return None


def _arrays(value: Any) -> list[Any]:
    return [found for found in leaves(value) if isinstance(found, nd.NDArray)]


def _nbytes(array: Any) -> int:
    return int(array.size * np.dtype(array.dtype).itemsize)


def _shapes(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_shapes(item) for item in value]
    return value.shape if isinstance(value, nd.NDArray) else type(value).__name__


def _shape_text(shape: Any) -> str:
    return str(shape)[1:-1] if isinstance(shape, list) else str(shape)


def _megabytes(nbytes: int) -> str:
    return f"{nbytes / _MEGABYTE:,.3f} MB"
