"""HTML tables without styles, for `_repr_html_` in notebooks."""

from collections.abc import Iterable
from html import escape

__all__ = ["html_table"]


def html_table(
    titles: Iterable[str], rows: Iterable[Iterable[str]], has_row_titles: bool = False
) -> str:
    """Return a table; all text is escaped.

    Parameters
    ----------
    titles : iterable of str
        Titles of the columns.
    rows : iterable of iterables of str
    has_row_titles : bool, default False
        Whether the first cell of each row is a title.

    Examples
    --------
    >>> html_table(["a"], [["<"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;</td></tr></tbody></table>'
    """
    first = "th" if has_row_titles else "td"
    head = "".join(_cell("th", title) for title in titles)
    body = "".join(f"<tr>{_row(first, row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(first: str, texts: Iterable[str]) -> str:
    return "".join(_cell("td" if at else first, text) for at, text in enumerate(texts))


def _cell(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>"
