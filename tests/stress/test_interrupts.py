"""Ctrl-C ends kernels of many seconds within a second of processor time, and waits immediately."""

import pytest

from .processes import run_program

PROGRAM = """
import os, threading, time
import numpy as np
import opforge as mx
from opforge import autograd, nd
from opforge.engine import Var, push
from opforge.native.threads import parallel

parallel.set_num_threads({threads})
side = 6000 if {threads} == 2 else 4500
{setup}
sent = []

def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
    sent.append(time.process_time())

thread = threading.Thread(target=interrupt)
try:
    thread.start()
    while True:
        {work}
except KeyboardInterrupt:
    ended = time.process_time()
thread.join()
print(ended - sent[0])
{check}
x = nd.ones((300, 300))
assert (nd.dot(x, x).asnumpy() == 300).all()  # what is half done is no longer seen
assert mx.nd.waitall() is None
"""

WORK = {
    "product": ("a = nd.ones((side, side))", "nd.dot(a, a)"),
    "integers": ("a = nd.ones((2500, 2500), dtype='int32')", "nd.dot(a, a)"),
    "batch": ("a = nd.ones((400, 800, 800))", "nd.batch_dot(a, a)"),
    "draws": ("", "nd.random.gamma(2.0, 1.0, shape=(60_000_000,))"),
    "elementwise": ("a = nd.ones((150_000_000,))", "nd.tanh(a, out=a); nd.exp(a, out=a)"),
    "backward": (
        "a = nd.ones((3500, 3500)); a.attach_grad()\n"
        "with autograd.record(): y = nd.dot(a, a).sum()",
        "y.backward(retain_graph=True)",
    ),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", WORK)
def test_a_kernel_of_many_seconds_ends(name: str, threads: int) -> None:
    setup, work = WORK[name]
    out = run_program(PROGRAM.format(setup=setup, work=work, threads=threads, check=""))
    assert float(out) < 1.0 * threads


WAITS = {
    "task": "var = Var(); push(task, write=[var]); var.wait_to_read()",
    "waitall": "push(task); mx.nd.waitall()",
    "array": "a = nd.ones((2,)); push(task, write=[a]); a.asnumpy()",
}


@pytest.mark.parametrize("name", WAITS)
def test_a_wait_ends(name: str) -> None:
    """The task ends only after the wait for it has ended."""
    setup = "gate = threading.Event()\ntask = lambda: gate.wait(300)"
    run_program(PROGRAM.format(setup=setup, work=WAITS[name], threads=2, check="gate.set()"))


def test_a_python_operator_is_left_where_it_is() -> None:
    run_program("""
        import os, threading, time
        import opforge as mx
        from opforge import nd

        ended = []

        class Slow(mx.operator.CustomOp):
            def forward(self, is_train, req, in_data, out_data, aux):
                threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
                time.sleep(300)
                ended.append(True)

        @mx.operator.register("slow")
        class SlowProp(mx.operator.CustomOpProp):
            def create_operator(self, *args):
                return Slow()

        try:
            nd.Custom(nd.ones((2,)), op_type="slow")
        except KeyboardInterrupt:
            assert not ended
        else:
            raise AssertionError("not interrupted")
    """)


def test_a_handler_that_does_not_raise_changes_no_result() -> None:
    run_program("""
        import os, threading
        from opforge import nd

        heard = []
        signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
        a = nd.ones((3000, 3000))
        for count in range(4):
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            while len(heard) == count:
                assert (nd.dot(a, a).asnumpy() == 3000).all()
    """)


FIRST_PRODUCT = """
import sys
from opforge import nd

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "scipy_openblas32":
            sys.meta_path.remove(self)
            raise KeyboardInterrupt

x = nd.ones((300, 300))
sys.meta_path.insert(0, Interrupting())
try:
    nd.dot(x, x)
except KeyboardInterrupt:
    print("interrupted")
print(nd.dot(x, x).asnumpy().max())
"""


def test_loading_openblas_may_be_interrupted():
    assert run_program(FIRST_PRODUCT) == "interrupted\n300.0\n"
