import subprocess
import sys

from opforge_tools import scaffold


def test_names():
    assert set(scaffold.__all__) == {
        *("KINDS", "Change", "Project", "Contribution", "add", "create", "update"),
    }


def test_copier_is_not_loaded_before_it_is_needed():
    source = "import sys, opforge_tools.scaffold, opforge.cli.app; print('copier' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
