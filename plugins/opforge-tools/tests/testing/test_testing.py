import subprocess
import sys

import pytest

from opforge import testing


def test_public_names_are_there():
    assert all(callable(getattr(testing, name)) for name in testing.__all__)
    assert set(testing.__all__) <= set(dir(testing))
    with pytest.raises(AttributeError, match="no attribute 'check_all'"):
        _ = testing.check_all


def test_importing_it_loads_nothing():
    script = (
        "import opforge_tools.testing, sys; print({'numpy', 'opforge.ndarray'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
