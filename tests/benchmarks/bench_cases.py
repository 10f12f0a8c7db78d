"""The benchmarks: every case in every installed library, one group per case.

Run by ``tox -e bench``; the name keeps the file out of the normal suite.
"""

import pytest
from opforge_tools.benchmarks import libraries
from opforge_tools.benchmarks.machine import default_threads

THREADS = default_threads()


@pytest.mark.keeps_memory  # the pool's statistics include the memory of a prepared case
def test_speed(case, library, loaded, benchmark):
    own = loaded(library)
    own.set_threads(THREADS)
    benchmark.group = case.name
    benchmark.extra_info.update(
        library=library,
        threads=THREADS,
        target=case.target,
        nbytes=case.amount("nbytes"),
        flops=case.amount("flops"),
    )
    benchmark(libraries.prepare(case, library, own))
