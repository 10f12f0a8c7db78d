"""OpenBLAS: loaded by the first product, without its own threads, with correct results."""

import os
import subprocess
import sys

import numpy as np
import pytest

from opforge import nd

LOADED = """
import opforge as mx
def loaded():
    with open("/proc/self/maps") as maps:
        return "scipy_openblas32" in maps.read()
assert not loaded()
x = mx.nd.ones((3, 4)) + 1
x.asnumpy()
assert not loaded()
assert mx.nd.dot(x, x.T).asnumpy().tolist() == [[16.0] * 3] * 3
assert loaded()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/maps")
def test_library_is_loaded_by_the_first_product():
    subprocess.run([sys.executable, "-c", LOADED], check=True, timeout=60)


TWO = """
import os, threading
import opforge as mx

meeting = threading.Barrier(2)
class Environment(dict):
    def get(self, key, default=None):
        if key == "OPENBLAS_NUM_THREADS":  # what is read before the library is opened
            meeting.wait()
        return super().get(key, default)

os.environ = Environment(os.environ)
x = mx.nd.ones((3, 4))
product = lambda: mx.nd.dot(x, x.T).wait_to_read()
threads = [threading.Thread(target=product) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_fork_after_two_threads_loaded_it_at_once():
    subprocess.run([sys.executable, "-c", TWO], check=True, timeout=60)


THREADS = """
import os
import numpy  # whose own library starts threads
import opforge as mx
before = set(os.listdir("/proc/self/task"))
x = mx.nd.ones((400, 400))
mx.nd.dot(x, x).asnumpy()
assert set(os.listdir("/proc/self/task")) <= before
assert os.environ.get("OPENBLAS_NUM_THREADS") == {value!r}
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/task")
@pytest.mark.parametrize("value", [None, "2"])
def test_library_starts_no_threads_of_its_own(value, monkeypatch):
    if value is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", value)
    # Without workers from the start: while one ends, a listing of threads may lack others.
    monkeypatch.setenv("OPFORGE_NUM_THREADS", "1")
    program = THREADS.format(value=value)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", [((5, 7), (7, 3)), ((5, 7), (7,)), ((1, 1), (1, 1))])
def test_products_and_matrix_vector_products(dtype, shapes):
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=s).astype(dtype) for s in shapes)
    result = nd.dot(nd.array(a, dtype=dtype), nd.array(b, dtype=dtype))
    np.testing.assert_allclose(result.asnumpy(), a @ b, rtol=1e-5, atol=1e-6)
