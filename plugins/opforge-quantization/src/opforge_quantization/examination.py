"""`examine`: the instructions of this machine, for `opforge doctor`."""

from collections.abc import Iterator

from .operators.base import LIBRARY

__all__ = ["examine"]

_NAMES = {4: "vectors of 128 bits", 8: "AVX2", 16: "AVX-512"}


def examine() -> Iterator[tuple[str, str]]:
    """Yield the instructions that multiply bytes here, and what is missing.

    Examples
    --------
    >>> [(text, remedy)] = examine()
    >>> "products of bytes" in text, remedy
    (True, '')
    """
    if LIBRARY.BYTE_DOTS:
        yield "products of bytes by AVX-512 VNNI", ""
        return
    name = _NAMES.get(LIBRARY.LANES, "scalars")
    yield (
        f"products of bytes by {name}; without AVX-512 VNNI, quantized networks are small, but "
        "hardly faster",
        "",
    )
