"""A first call that is interrupted at any line leaves a state in which the next call succeeds.

An exception is raised at the n-th line of opforge's Python code, for n spread over the entire call;
``--stress`` tries more of them.
"""

import linecache
import sys

import pytest

import opforge as mx
from opforge import autograd, gluon, nd, sym
from opforge.base.initialization_lock import initializing

X = nd.ones((2, 3, 6, 6))
pytestmark = [pytest.mark.plugins, pytest.mark.filterwarnings("ignore:Parameters already init")]


def interrupted(call, at, error):
    """Raise `error` at a line of a call; return how many lines were started.

    Tracing returns to the line of a ``with`` statement to leave its block. No exception is raised
    there: a signal cannot come between the block and its exit, so that locks would remain held.
    The same is true for ``__enter__`` after its effect and for ``__exit__`` before it.
    """
    lines = 0

    def trace_function():
        withs = set()

        def in_function(frame, event, argument):
            nonlocal lines
            if event == "line" and not is_exit(frame):
                lines += 1
                if lines == at:
                    sys.settrace(None)
                    raise error("planted")
            return in_function

        def is_exit(frame):
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            if not line.lstrip().startswith("with "):
                return False
            is_second = frame.f_lineno in withs
            withs.add(frame.f_lineno)
            return is_second

        return in_function

    def is_manager(frame):
        return frame.f_code.co_name in ("__enter__", "__exit__")

    def on_call(frame, event, argument):
        if is_manager(frame) or is_manager(frame.f_back):
            return None
        return trace_function() if "opforge" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        call()
    except error:
        pass
    finally:
        sys.settrace(before)
    return lines


def network(hybrid):
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(4, 3), gluon.nn.BatchNorm(), gluon.nn.Flatten(), gluon.nn.Dense(2))
    net.initialize()
    net.hybridize(hybrid)

    def check():
        assert net(X).shape == (2, 2)
        with autograd.record():
            loss = net(X).sum()
        loss.backward()
        gluon.Trainer(net.collect_params(), "sgd").step(1)

    return lambda: net(X), check


def module(step):
    made = mx.mod.Module(sym.FullyConnected(sym.var("data"), num_hidden=2), label_names=None)
    shapes = [("data", (3, 4))]
    batch = mx.io.DataBatch([nd.ones((3, 4))])

    def check():
        made.bind(shapes)
        made.init_params()
        made.init_optimizer()
        made.forward(batch, is_train=True)
        made.backward([nd.ones((3, 2))])
        made.update()
        assert made.get_outputs()[0].shape == (3, 2)

    if step == "bind":
        return lambda: made.bind(shapes), check
    made.bind(shapes)
    return made.init_params, check


CALLS = {
    "eager network": lambda: network(False),
    "hybridized network": lambda: network(True),
    "Module.bind": lambda: module("bind"),
    "Module.init_params": lambda: module("init_params"),
}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("name", CALLS)
def test_the_next_call_works(name, error, stress):
    call, check = CALLS[name]()
    total = interrupted(call, 0, error)
    check()
    step = max(1, total // (25 * stress))
    for at in range(1, total, step):
        call, check = CALLS[name]()
        interrupted(call, at, error)
        assert not initializing()._is_owned(), f"interrupted at line {at} of {total}"
        try:
            sym.FullyConnected(sym.var("data"), num_hidden=2)  # not in a mode left behind
            check()
        except Exception as failure:
            raise AssertionError(f"interrupted at line {at} of {total}: {failure!r}") from failure
