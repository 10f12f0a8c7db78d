"""Pages of documentation with sections that are filled with stored figures."""

__all__ = ["filled"]

BEGIN, END = "<!-- figures: {} -->", "<!-- end of figures -->"


def filled(page: str, texts: dict[str, str]) -> str:
    r"""Return the text of a page with its sections replaced, by name.

    Raises
    ------
    ValueError
        The page has no section for one of the texts.

    Examples
    --------
    >>> filled("<!-- figures: speed -->old<!-- end of figures -->", {"speed": "new"})
    '<!-- figures: speed -->\n\nnew\n<!-- end of figures -->'
    """
    for name, text in texts.items():
        before, begin, rest = page.partition(BEGIN.format(name))
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise ValueError(f"the page has no section {name}: {BEGIN.format(name)} ... {END}")
        page = f"{before}{begin}\n\n{text}\n{end}{after}"
    return page
