"""Line numbers of offsets in a text, for errors about files."""

__all__ = ["line_at"]


def line_at(text: bytes, offset: int) -> tuple[int, bytes, bytes]:
    r"""Return the 1-based number of the line at an offset, and its parts before and after it.

    Parameters
    ----------
    text : bytes
    offset : int
        From 0 to the length of `text`.

    Examples
    --------
    >>> line_at(b"a b\nc d\n", 6)
    (2, b'c ', b'd')
    """
    begin = text.rfind(b"\n", 0, offset) + 1
    end = text.find(b"\n", offset)
    return (
        text.count(b"\n", 0, begin) + 1,
        text[begin:offset],
        text[offset : len(text) if end < 0 else end],
    )
