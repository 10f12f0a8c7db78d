import subprocess
import sys

import numpy as np
import pytest

import opforge
from opforge import test_utils
from opforge.test_utils import _star


def test_star_import_provides_names_used_by_programs():
    names = {}
    exec("from opforge.test_utils import *", names)
    assert names["mx"] is opforge
    assert names["np"] is np
    assert names["sys"] is sys
    assert names["rnd"] is np.random
    assert names["Symbol"] is opforge.sym.Symbol
    assert names["array"] is opforge.nd.array
    assert names["use_np"] is opforge.util.use_np


def test_missing_packages_are_not_exported(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "requests" not in _star.names()
    assert "ss" not in _star.names()
    assert "np" in _star.names()


def test_other_names_are_errors():
    with pytest.raises(AttributeError, match=r"'opforge_mxnet\.test_utils' has no attribute 'np2'"):
        _ = test_utils.np2


def test_nothing_heavy_loads_before_it_is_asked_for():
    code = "import sys, opforge.test_utils; print('scipy' in sys.modules, 'zipfile' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False")


def test_slow_modules_are_executed_when_they_are_used():
    """SciPy's distributions take a second to import."""
    code = (
        "import sys; from opforge.test_utils import *; "
        "print('scipy.stats._distn_infrastructure' in sys.modules); "
        "print(ss.norm.cdf(0)); import scipy.stats; print(scipy.stats is ss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "0.5", "True"]
