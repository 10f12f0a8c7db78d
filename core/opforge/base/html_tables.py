"""HTML tables for `_repr_html_` in notebooks. Layer 0.

All text is escaped, and the output is self-contained: no scripts, classes or links.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

__all__ = ["html_cell", "html_table", "html_text"]

_TABLE = "border-collapse:collapse;font-size:12px;line-height:1.3"
#: JupyterLab shows results in a proportional font, which does not align columns of numbers.
_TEXT = "margin:2px 0;font-family:monospace"
_CELL = "padding:1px 6px;border:1px solid rgba(128,128,128,.3);text-align:right"


def html_text(text: object, style: str = "") -> str:
    """Return a paragraph of text that keeps its line breaks.

    Examples
    --------
    >>> html_text("a < b")
    '<pre style="margin:2px 0;font-family:monospace;">a &lt; b</pre>'
    """
    return f'<pre style="{_TEXT};{style}">{_escape(str(text))}</pre>'


def html_cell(text: object, style: str = "") -> str:
    """Return one table cell; `style` is additional CSS."""
    return f'<td style="{_CELL};{style}">{_escape(str(text))}</td>'


def html_table(
    rows: Iterable[Iterable[str]], titles: Sequence[str] = (), most: int | None = None
) -> str:
    """Return a table of cells from `html_cell`.

    Parameters
    ----------
    rows : iterable of iterables of str
    titles : sequence of str
        Column titles; if empty, the header row is omitted.
    most : int, optional
        Number of rows to show; a final row "…" stands for the others.

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
        heads = (f'<th style="{_CELL}">{_escape(title)}</th>' for title in titles)
        lines.insert(0, f"<tr>{''.join(heads)}</tr>")
    return f'<table style="{_TABLE}">{"".join(lines)}</table>'


def _escape(text: str) -> str:
    from html import escape  # takes a millisecond to import, and few programs print HTML

    return escape(text)
