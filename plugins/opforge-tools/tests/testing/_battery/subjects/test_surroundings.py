import gc
import os
import signal

import numpy as np
from opforge_tools.testing._battery.subjects.surroundings import Surroundings

from opforge import autograd


def test_changes_are_named_and_undone(monkeypatch, tmp_path):
    monkeypatch.setenv("FORMER", "1")
    folder, errors = os.getcwd(), np.geterr()
    before = Surroundings()
    assert before.changed() == []
    os.environ["FORMER"], os.environ["NEW"] = "2", "x"
    np.seterr(divide="raise")
    os.chdir(tmp_path)
    with autograd.record():
        assert before.changed() == [
            "os.environ: FORMER",
            "os.environ: NEW",
            "NumPy's error state (numpy.seterr): divide",
            "the current folder",
            "the mode of autograd",
        ]
    before.restore()
    assert before.changed() == []
    assert (os.environ["FORMER"], os.getcwd(), np.geterr()) == ("1", folder, errors)


def test_settings_of_python_and_signals_are_included():
    options, handler = np.get_printoptions(), signal.getsignal(signal.SIGINT)
    before = Surroundings()
    np.set_printoptions(precision=2)
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    changed = before.changed()
    before.restore()
    assert changed[:3] == [
        "NumPy's print options: precision",
        "whether the garbage collector is enabled",
        "the signal handlers: SIGINT",
    ]
    assert before.changed() == []
    assert (np.get_printoptions(), signal.getsignal(signal.SIGINT)) == (options, handler)
    assert gc.isenabled()
