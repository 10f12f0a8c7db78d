"""The face of `base`."""

import subprocess
import sys

import pytest

from opforge import base


def test_names_of_mxnets_load_when_they_are_asked_for():
    code = (
        "import sys, opforge\n"
        "assert 'opforge.base.c_library' not in sys.modules\n"
        "assert opforge.base.mx_uint\n"
        "assert 'opforge.base.c_library' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = base.nothing
