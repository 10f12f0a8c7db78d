"""The public names of `base`."""

import subprocess
import sys

import pytest

from opforge import base


@pytest.mark.plugins
def test_names_of_plugins_load_when_they_are_used():
    code = (
        "import sys, opforge\n"
        "assert 'opforge.plugin.aliases' not in sys.modules\n"
        "assert opforge.base.mx_uint\n"
        "assert 'opforge_mxnet.base.c_library' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = base.nothing
