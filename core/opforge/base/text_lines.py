"""Text for terminals: how wide it is, and where its lines are broken. Layer 0."""

import re
from collections.abc import Iterator

__all__ = ["text_width", "visible", "wrapped"]

#: What makes text bold or coloured has no width.
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_WORDS = re.compile(r" *[^ ]+")


def visible(text: str) -> str:
    r"""Return a stranger's text for a terminal, which is not to obey what stands in it.

    Examples
    --------
    >>> visible("a \x1b[31mred\x1b[0m word")
    'a \\x1b[31mred\\x1b[0m word'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


def text_width(text: str) -> int:
    """Return how many places of a line a text takes.

    Examples
    --------
    >>> text_width("plain"), text_width("幅"), text_width("e\u0301")
    (5, 2, 1)
    """
    if "\x1b" in text:
        text = _CODES.sub("", text)
    return len(text) if text.isascii() else sum(map(_places, text))


def wrapped(text: str, width: int) -> list[str]:
    """Break a text into lines between words, and within those that are longer than a line.

    Parameters
    ----------
    text : str
        With lines of its own, which stay apart and keep the blanks that they begin with.
    width : int
        Places of a line, at least 1.

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
        lines += [line] if text_width(line) <= width else _broken(line, width)
    return lines


def _broken(line: str, width: int) -> Iterator[str]:
    current = ""
    for word in _WORDS.findall(line):
        if text_width(current) + text_width(word) <= width:
            current += word
            continue
        if current:
            yield current
            word = word.lstrip(" ")
        *full, current = _folded(word, width)
        yield from full
    yield current


def _folded(word: str, width: int) -> list[str]:
    """Return the parts of a word that have the width of a line; most words are one part.

    A word that must be broken is no longer painted.
    """
    if text_width(word) <= width:
        return [word]
    parts, room = [""], width
    for sign in _CODES.sub("", word):
        room -= _places(sign)
        if room < 0 and parts[-1]:
            parts.append("")
            room = width - _places(sign)
        parts[-1] += sign
    return parts


def _places(sign: str) -> int:
    if sign.isascii():
        return 1
    # Here: texts are ASCII as a rule.
    from unicodedata import combining, east_asian_width

    return 0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1
