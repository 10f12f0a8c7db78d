import os

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
