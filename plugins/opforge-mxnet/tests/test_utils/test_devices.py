import threading

import numpy as np

import opforge
from opforge import nd, test_utils


def test_the_default_context_is_the_current_one():
    assert test_utils.default_context() == opforge.cpu()
    with opforge.cpu(1):
        assert test_utils.default_context() == opforge.cpu(1)
        test_utils.set_default_context(opforge.cpu(2))
        assert opforge.current_context() == opforge.cpu(2)
        assert nd.ones((1,)).context == opforge.cpu(2)
    assert opforge.current_context() == opforge.cpu()


def test_the_default_context_is_the_threads():
    seen = []

    def other():
        test_utils.set_default_context(opforge.cpu(3))
        seen.append(opforge.current_context())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [opforge.cpu(3)]
    assert opforge.current_context() == opforge.cpu()


def test_device_queries(monkeypatch):
    assert test_utils.default_dtype() is np.float32
    assert list(test_utils.list_gpus()) == []
    assert test_utils.is_op_runnable()
    assert not test_utils.has_tvm_ops()
    monkeypatch.delenv("CD_JOB", raising=False)
    assert not test_utils.is_cd_run()
    monkeypatch.setenv("CD_JOB", "1")
    assert test_utils.is_cd_run()
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert test_utils.is_aarch64_run()
