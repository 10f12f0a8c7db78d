"""Reader of embedding files with one line per token: the token followed by its vector.

Every line is validated; errors include the line number.
"""

import os
import warnings
from array import array
from collections.abc import Iterator

from opforge.base.errors import OpforgeError

__all__ = ["VectorFileError", "read_vectors"]


class VectorFileError(OpforgeError, AssertionError, ValueError):
    """Raised for an invalid line in an embedding file."""


def read_vectors(
    path: str | os.PathLike[str], delimiter: str, encoding: str
) -> Iterator[tuple[str, "array[float]"]]:
    """Yield each token of a file with its float32 vector; all vectors have the same length.

    A token may contain the delimiter if the vector length is known from earlier lines. Repeated
    tokens and vectors of one number are skipped with a warning; a first line of two numbers, as in
    fastText files, is skipped silently.

    Parameters
    ----------
    path : path-like
    delimiter : str
        Delimiter of the elements of a line.
    encoding : str

    Raises
    ------
    ValueError
        The file does not exist.
    VectorFileError
        A line has a different number of elements than earlier ones, contains something other than
        numbers, or is not in this encoding; or the file has no vectors.
    """
    place = os.path.expanduser(path)
    if not os.path.isfile(place):
        raise ValueError(
            f"`pretrained_file_path` must be a valid path to the pre-trained token embedding file; "
            f"there is no file {place}"
        )
    number, length, seen = 0, 0, set()
    with open(place, encoding=encoding, newline="\n") as file:
        try:
            for number, line in enumerate(file, 1):
                token, vector = _parse(line, delimiter, length, f"{place}, line {number}")
                if token in seen:
                    _warn(place, number, f"a second vector of the token {token!r} is left out")
                elif len(vector) == 1:
                    if not (number == 1 and token.isdecimal()):
                        _warn(place, number, f"{token!r} with one number is left out")
                else:
                    length = len(vector)
                    seen.add(token)
                    yield token, vector
        except UnicodeDecodeError as error:
            raise VectorFileError(
                f"{place}, after line {number}: got bytes that are no {encoding} ({error.reason}); "
                "pass the file's encoding=, or repair it"
            ) from error
    if not length:
        raise VectorFileError(
            f"{place} has {number} lines and no vector; expected lines of a token and its numbers"
        )


def _parse(line: str, delimiter: str, length: int, where: str) -> tuple[str, "array[float]"]:
    """Return the token and the vector of a line; `length` is 0 while unknown."""
    parts = line.rstrip().split(delimiter)
    if len(parts) < 2:
        raise VectorFileError(
            f"{where}: got {_brief(line)}, expected a token and its numbers with {delimiter!r} "
            "between them; pass elem_delim= for another delimiter"
        )
    numbers = len(parts) - 1
    if length and numbers > length and not all(map(_is_number, parts[1:-length])):
        numbers = length  # the token contains the delimiter
    token = delimiter.join(parts[:-numbers])
    try:
        vector = array("f", map(float, parts[-numbers:]))
    except ValueError as error:
        raise VectorFileError(f"{where}: {error}, in {_brief(line)}") from None
    if length and numbers not in (1, length):
        raise VectorFileError(
            f"{where}: the vector of {token!r} has {numbers} numbers, expected {length} as in the "
            "lines before"
        )
    return token, vector


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _brief(line: str) -> str:
    return repr(line if len(line) <= 60 else f"{line[:57]}...")


def _warn(path: str, number: int, text: str) -> None:
    warnings.warn(f"{path}, line {number}: {text}", stacklevel=4)
