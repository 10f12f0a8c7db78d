"""Positions in a text, for errors about files."""

__all__ = ["line_at"]


def line_at(text: bytes, place: int) -> tuple[int, bytes, bytes]:
    r"""Return the number of a line, from 1, and what it has before a place and from there on.

    Parameters
    ----------
    text : bytes
    place : int
        From 0 to the length of `text`.

    Examples
    --------
    >>> line_at(b"a b\nc d\n", 6)
    (2, b'c ', b'd')
    """
    begin = text.rfind(b"\n", 0, place) + 1
    end = text.find(b"\n", place)
    return (
        text.count(b"\n", 0, begin) + 1,
        text[begin:place],
        text[place : len(text) if end < 0 else end],
    )
