"""Width and line wrapping of text for terminals. Layer 0."""

import re
from collections.abc import Iterator

__all__ = ["text_width", "visible", "wrapped"]

#: Escape sequences for bold and colors have no width.
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_WORDS = re.compile(r" *[^ ]+")


def visible(text: str) -> str:
    r"""Escape control characters of untrusted text for output on a terminal.

    Examples
    --------
    >>> visible("a \x1b[31mred\x1b[0m word")
    'a \\x1b[31mred\\x1b[0m word'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def text_width(text: str) -> int:
    """Return the number of terminal columns that a text occupies.

    Examples
    --------
    >>> text_width("plain"), text_width("幅"), text_width("e\u0301")
    (5, 2, 1)
    """
    if "\x1b" in text:
        text = _CODES.sub("", text)
    return len(text) if text.isascii() else sum(map(_columns, text))


def wrapped(text: str, width: int) -> list[str]:
    """Wrap a text at word boundaries, and within words that are longer than a line.

    Parameters
    ----------
    text : str
        Its line breaks and the indentation of its lines are kept.
    width : int
        Columns per line, at least 1.

    Examples
    --------
    >>> wrapped("a few words", 5)
    ['a few', 'words']
    >>> wrapped("antidisestablishment", 8)
    ['antidise', 'stablish', 'ment']
    """
    lines: list[str] = []
    for line in text.expandtabs().split("\n"):
        line = line.rstrip(" ")
        lines += [line] if text_width(line) <= width else _break_line(line, width)
    return lines


def _break_line(line: str, width: int) -> Iterator[str]:
    current = ""
    for word in _WORDS.findall(line):
        if text_width(current) + text_width(word) <= width:
            current += word
            continue
        if current:
            yield current
            word = word.lstrip(" ")
        *full, current = _split_word(word, width)
        yield from full
    yield current


def _split_word(word: str, width: int) -> list[str]:
    """Split a word into parts that fit a line; a word that must be split loses its color."""
    if text_width(word) <= width:
        return [word]
    parts, remaining = [""], width
    for char in _CODES.sub("", word):
        remaining -= _columns(char)
        if remaining < 0 and parts[-1]:
            parts.append("")
            remaining = width - _columns(char)
        parts[-1] += char
    return parts


def _columns(char: str) -> int:
    if char.isascii():
        return 1
    # Imported here, because most texts are ASCII.
    from unicodedata import combining, east_asian_width

    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1
