import threading

import pytest

import opforge
from opforge.base.errors import ContextError


def test_repr_equality_and_hash():
    assert repr(opforge.cpu(1)) == "cpu(1)"
    assert opforge.cpu() == opforge.Context("cpu", 0) != opforge.gpu(0)
    assert len({opforge.cpu(1), opforge.Context("cpu", 1), opforge.gpu(1)}) == 2


def test_with_blocks_nest_and_restore():
    assert opforge.current_context() == opforge.cpu(0)
    with opforge.cpu(1), opforge.cpu(2):
        assert opforge.current_context() == opforge.cpu(2)
    assert opforge.current_context() == opforge.cpu(0)


def test_a_context_may_be_entered_twice_and_by_threads():
    seen = []

    def work():
        seen.append(opforge.current_context())

    context = opforge.cpu(1)
    with context, context:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert opforge.current_context() == opforge.cpu(0)
    assert seen == [opforge.cpu(0)]


def test_unknown_device_type():
    with pytest.raises(ContextError, match="'tpu' is unknown"):
        opforge.Context("tpu")


def test_no_gpus():
    assert opforge.num_gpus() == 0


def test_default_ctx_is_the_current_one():
    before = opforge.Context.default_ctx
    assert before == opforge.cpu(0)
    with opforge.cpu(3):
        assert opforge.Context.default_ctx == opforge.cpu(3)
        opforge.Context.default_ctx = opforge.cpu(4)
        assert opforge.nd.zeros(1).context == opforge.cpu(4)
        with pytest.raises(TypeError, match="default_ctx must be a Context"):
            opforge.Context.default_ctx = "cpu"
    assert opforge.Context.default_ctx == before
