"""Tables of plain text: columns as wide as their cells, or as there is room for. Layer 0."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from .text_lines import text_width, wrapped

__all__ = ["Column", "Paint", "TextTable", "unpainted"]

#: Returns a text in a style: "bold", "dim", or a colour.
Paint = Callable[[str, str], str]
_GAP = "  "
#: No column that can be broken is made narrower, but for one that needs no more.
_LEAST = 8


def unpainted(text: str, style: str) -> str:
    """Return the text as it is, whatever the style."""
    del style
    return text


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    heading : str
    style : str or mapping of str to str
        Of all cells, or of each by its text.
    whole : bool
        Whether its cells are never broken over several lines.
    right : bool
        Whether they stand at the right.
    most : int, optional
        Places that it may have even where there is room for more.
    """

    heading: str = ""
    style: str | Mapping[str, str] = ""
    whole: bool = False
    right: bool = False
    most: int | None = None

    def painted(self, text: str, cell: str, paint: Paint) -> str:
        """Return one line of a cell as its style wants it."""
        style = self.style if isinstance(self.style, str) else self.style.get(cell, "")
        return paint(text, style) if style else text


@dataclass
class TextTable:
    r"""Rows of text under headings.

    Parameters
    ----------
    columns : sequence of Column
        Where none has a heading, no line of headings is shown.
    rows : list of sequences of str
        A cell for each column.
    title : str
        Stands above, on lines of its own.

    Examples
    --------
    >>> columns = [Column("name", whole=True), Column("description")]
    >>> table = TextTable(columns, [("exp", "Return e to the power of each.")])
    >>> print(*table.lines(25), sep="\\n")
    name  description
    exp   Return e to the
          power of each.
    """

    columns: Sequence[Column]
    rows: list[Sequence[str]] = field(default_factory=list)
    title: str = ""

    def lines(self, width: int, paint: Paint = unpainted) -> list[str]:
        """Return the lines; they are longer than `width` where what is whole leaves no room.

        Parameters
        ----------
        width : int
            Places of a line.
        paint : callable
            Puts text into a style; what it adds has no width.
        """
        headings = [column.heading for column in self.columns]
        widths = _fitted(self.columns, _natural(self.columns, [headings, *self.rows]), width)
        lines = [paint(line, "bold") for line in wrapped(self.title, width)] if self.title else []
        if any(headings):
            bold = [Column(style="bold", right=column.right) for column in self.columns]
            lines += _row_lines(bold, headings, widths, paint)
        for row in self.rows:
            lines += _row_lines(self.columns, row, widths, paint)
        return lines


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return how many places each column has where nothing is broken."""
    widths = []
    for number, column in enumerate(columns):
        lines = (line for row in rows for line in row[number].expandtabs().split("\n"))
        widest = max(map(text_width, lines))
        widths.append(widest if column.most is None else min(widest, column.most))
    return widths


def _fitted(columns: Sequence[Column], widths: list[int], width: int) -> list[int]:
    """Make the widest of the columns that can be broken narrower until there is room for all."""
    flexible = [number for number, column in enumerate(columns) if not column.whole]
    room = width - len(_GAP) * (len(columns) - 1)
    while (excess := sum(widths) - room) > 0:
        widest = max((widths[number] for number in flexible), default=0)
        if widest <= _LEAST:
            break
        peers = [number for number in flexible if widths[number] == widest]
        others = (widths[number] for number in flexible if widths[number] < widest)
        level = max(_LEAST, max(others, default=0), widest - -(-excess // len(peers)))
        for number in peers:
            widths[number] = level
    return widths


def _row_lines(
    columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int], paint: Paint
) -> list[str]:
    broken = [wrapped(cell, max(width, 1)) for cell, width in zip(cells, widths, strict=True)]
    lines = []
    for parts in zip_longest(*broken, fillvalue=""):
        filled = []
        for column, cell, part, width in zip(columns, cells, parts, widths, strict=True):
            blanks = " " * (width - text_width(part))
            text = column.painted(part, cell, paint) if part else part
            filled.append(blanks + text if column.right else text + blanks)
        lines.append(_GAP.join(filled).rstrip(" "))
    return lines
