"""Plain-text tables whose columns shrink to the width of the terminal. Layer 0."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from .text_lines import text_width, wrapped

__all__ = ["Column", "Paint", "TextTable", "unpainted"]

#: Function that returns a text in a style: "bold", "dim" or a color.
Paint = Callable[[str, str], str]
_GAP = "  "
#: Minimum width to which a wrappable column shrinks.
_MIN_WIDTH = 8


def unpainted(text: str, style: str) -> str:
    """Return the text unchanged."""
    del style
    return text


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    heading : str
    style : str or mapping of str to str
        Style of all cells, or a mapping from the text of a cell to its style.
    whole : bool
        Never wrap cells of this column.
    right : bool
        Align cells to the right.
    most : int, optional
        Maximum width.
    """

    heading: str = ""
    style: str | Mapping[str, str] = ""
    whole: bool = False
    right: bool = False
    most: int | None = None

    def painted(self, text: str, cell: str, paint: Paint) -> str:
        """Return one line of a cell in the style of that cell."""
        style = self.style if isinstance(self.style, str) else self.style.get(cell, "")
        return paint(text, style) if style else text


@dataclass
class TextTable:
    r"""Rows of text under headings.

    Parameters
    ----------
    columns : sequence of Column
        The header row is omitted if no column has a heading.
    rows : list of sequences of str
        One cell for each column.
    title : str
        Shown above the table.

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
        """Return the lines, which exceed `width` if columns that are not wrapped need more.

        Parameters
        ----------
        width : int
            Columns per line.
        paint : callable
            Applies a style to a text; must not change its displayed width.
        """
        headings = [column.heading for column in self.columns]
        widths = _shrink_columns(
            self.columns, _natural(self.columns, [headings, *self.rows]), width
        )
        lines = [paint(line, "bold") for line in wrapped(self.title, width)] if self.title else []
        if any(headings):
            bold = [Column(style="bold", right=column.right) for column in self.columns]
            lines += _row_lines(bold, headings, widths, paint)
        for row in self.rows:
            lines += _row_lines(self.columns, row, widths, paint)
        return lines


def _natural(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column without wrapping."""
    widths = []
    for number, column in enumerate(columns):
        lines = (line for row in rows for line in row[number].expandtabs().split("\n"))
        widest = max(map(text_width, lines))
        widths.append(widest if column.most is None else min(widest, column.most))
    return widths


def _shrink_columns(columns: Sequence[Column], widths: list[int], width: int) -> list[int]:
    """Shrink the widest of the wrappable columns until the table fits."""
    flexible = [number for number, column in enumerate(columns) if not column.whole]
    available = width - len(_GAP) * (len(columns) - 1)
    while (excess := sum(widths) - available) > 0:
        widest = max((widths[number] for number in flexible), default=0)
        if widest <= _MIN_WIDTH:
            break
        peers = [number for number in flexible if widths[number] == widest]
        others = (widths[number] for number in flexible if widths[number] < widest)
        level = max(_MIN_WIDTH, max(others, default=0), widest - -(-excess // len(peers)))
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
