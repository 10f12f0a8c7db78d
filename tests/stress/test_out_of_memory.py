"""Where memory ends there is a MemoryError that names the size, and the process works on."""

import pytest

from opforge import nd

from .processes import run_program

PROGRAM = """
import os, re, resource, tempfile
import numpy as np
import opforge as mx
from opforge import autograd, nd
from opforge.engine import Var, push

mx.set_num_threads(2)
x = nd.ones((1000, 1000))
nd.dot(x, x).wait_to_read()  # threads and BLAS have what they need
push(int); mx.nd.waitall()
big = nd.ones((16, 1024, 1024))  # 64 MiB
big.attach_grad()
with autograd.record():
    y = nd.broadcast_add(big * 2, nd.zeros((1,)))
path = os.path.join(tempfile.mkdtemp(), "arrays")
nd.save(path, [big])

mx.release_pool()
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
with open("/proc/self/statm") as file:
    size = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + {room}, hard))

{work}

resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
"""

FAIL = """
try:
    {work}
except MemoryError as error:
    assert re.search("[0-9]{{7,}} bytes|Unable to allocate", str(error)), str(error)
else:
    raise AssertionError("there was memory for it")
small = nd.ones((100, 100))
assert (nd.dot(small, small).asnumpy() == 100).all()
out = []
push(lambda: out.append(1)); mx.nd.waitall()
assert out == [1]
"""

WORK = {
    "forward": "nd.exp(big)",
    "operator": "nd.softmax(big)",
    "backward": "y.backward()",
    "asnumpy": "big.asnumpy()",
    "copy": "big.copy()",
    "load": "nd.load(path)",
    "growth of the pool": "kept = [nd.ones((100, 1000)) for _ in range(10000)]",
}


@pytest.mark.parametrize("name", WORK)
def test_the_error_names_the_size_and_the_process_works_on(name: str) -> None:
    work = FAIL.format(work=WORK[name])
    run_program(PROGRAM.format(work=work, room=40 << 20))


def test_pushes_without_memory_raise_and_leave_the_engine_whole() -> None:
    run_program(
        PROGRAM.format(
            room=24 << 20,
            work="""
import threading
release, var, done, pushed = threading.Event(), Var(), [], 0
push(lambda: release.wait(60), write=[var])
hog = []
try:
    while True:
        hog.append(bytes(1 << 16))
except MemoryError:
    pass
try:
    for _ in range(10_000_000):
        push(done.clear, write=[var])
        pushed += 1
except MemoryError:
    pass
else:
    raise AssertionError("there was memory for ten million tasks")
hog.clear()
release.set()
var.wait_to_read()
assert var.version == pushed + 1, (var.version, pushed)
push(lambda: done.append(1), write=[var])
mx.nd.waitall()
assert done == [1]
""",
        )
    )


@pytest.mark.parametrize("shape", [(1 << 42,), (1 << 21, 1 << 20), (1 << 62,)])
def test_what_no_machine_has_is_refused_at_once(shape: tuple[int, ...]) -> None:
    with pytest.raises(MemoryError, match=r"bytes|too many elements"):
        nd.empty(shape)
