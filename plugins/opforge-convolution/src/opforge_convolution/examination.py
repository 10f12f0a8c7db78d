"""`examine`: the instructions of this machine, for `opforge doctor`."""

from collections.abc import Iterator

from .operators import LIBRARY

__all__ = ["examine"]


def examine() -> Iterator[tuple[str, str]]:
    """Yield the instructions that multiply bfloat16 here, or what is missing.

    Examples
    --------
    >>> [(text, remedy)] = examine()
    >>> "products of bfloat16" in text, remedy
    (True, '')
    """
    if LIBRARY.BFLOAT16_PRODUCTS:
        yield "products of bfloat16 by AVX512-BF16", ""
        return
    yield (
        "products of bfloat16 in float32: without AVX512-BF16, it saves memory, but no time",
        "",
    )
