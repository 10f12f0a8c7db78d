"""Tables for notebooks: what a `_repr_html_` is made of. Layer 0.

Every text is escaped and nothing refers to anything outside: no scripts, classes or links.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

__all__ = ["html_cell", "html_table", "html_text"]

_TABLE = "border-collapse:collapse;font-size:12px;line-height:1.3"
#: JupyterLab shows text of results in the font of its pages, where numbers do not stand in columns.
_TEXT = "margin:2px 0;font-family:monospace"
_CELL = "padding:1px 6px;border:1px solid rgba(128,128,128,.3);text-align:right"


def html_text(text: object, style: str = "") -> str:
    """Return one paragraph of text that keeps its line ends.

    Examples
    --------
    >>> html_text("a < b")
    '<pre style="margin:2px 0;font-family:monospace;">a &lt; b</pre>'
    """
    return f'<pre style="{_TEXT};{style}">{escape(str(text))}</pre>'


def html_cell(text: object, style: str = "") -> str:
    """Return one cell of a table; `style` is CSS of the caller's own."""
    return f'<td style="{_CELL};{style}">{escape(str(text))}</td>'


def html_table(
    rows: Iterable[Iterable[str]], titles: Sequence[str] = (), most: int | None = None
) -> str:
    """Return a table of cells that `html_cell` made.

    Parameters
    ----------
    rows : iterable of iterables of str
    titles : sequence of str
        Of the columns; none: no line of titles.
    most : int, optional
        How many rows are shown; of the others a last row tells that they are there.

    Examples
    --------
    >>> html_table([[html_cell(1)], [html_cell(2)]], most=1).count("<tr>")
    2
    """
    remaining = iter(rows)
    lines = [f"<tr>{''.join(row)}</tr>" for row in islice(remaining, most)]
    if next(remaining, None) is not None:
        lines.append(f"<tr>{html_cell('…')}</tr>")
    if titles:
        heads = (f'<th style="{_CELL}">{escape(title)}</th>' for title in titles)
        lines.insert(0, f"<tr>{''.join(heads)}</tr>")
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'
