"""The package itself: the entry point, and its cheap import."""

import subprocess
import sys


def test_importing_loads_no_table_printer():
    code = (
        "import sys\nfrom opforge.cli import main\nassert callable(main)\n"
        "assert not {'typer', 'rich'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_python_m_opforge_is_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "opforge", "--help"], check=True, capture_output=True, text=True
    )
    assert "check" in done.stdout and "doctor" in done.stdout
