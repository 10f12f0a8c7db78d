"""The header `opforge/fetch.h`: which cache lines are fetched, and when."""

import numpy as np
import pytest

from .compiled import call, load_source

SOURCE = """
#include <opforge/fetch.h>
#ifdef __cplusplus
extern "C" {
#endif
void fetch(const char* rows, int64_t step, int64_t count, int64_t bytes, int64_t times,
           int64_t* found) {
    of_fetch fetch = of_fetch_rows(rows, step, count, bytes, times);
    for (int64_t i = 0; i < times; i++) of_fetch_some(&fetch);
    found[0] = fetch.end - fetch.row;
    found[1] = fetch.each;
}
#ifdef __cplusplus
}
#endif
"""


@pytest.fixture(scope="module")
def library(c_compiler, tmp_path_factory):
    """Return the functions, compiled for any processor."""
    return load_source(SOURCE, c_compiler, "baseline", tmp_path_factory.mktemp("fetch"))


def fetch(library, count, size, times):
    """Return the bytes left after fetching some rows, and the lines that are fetched at a time."""
    found = np.full(2, -1, np.int64)
    call(library.fetch, np.zeros(64 * 600, np.uint8), 600, count, size, times, found)
    return found.tolist()


@pytest.mark.parametrize("count", [0, 1, 7, 64])
@pytest.mark.parametrize("size", [1, 64, 65, 512])
@pytest.mark.parametrize("times", [1, 3, 1000])
def test_all_rows_are_fetched_in_time(library, count, size, times):
    lines = count * -(-size // 64)
    assert fetch(library, count, size, times) == [0, -(-lines // times)]


def test_nothing_is_fetched_without_a_chance(library):
    assert fetch(library, 1, 64, 0) == [600, 0]
