"""The package itself: the entry point, and its cheap import."""

import subprocess
import sys


def test_importing_loads_no_table_printer():
    code = (
        "import sys\nfrom opforge.cli import main\nassert callable(main)\n"
        "assert not {'typer', 'rich'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def without(names, program):
    """Run a program in a process that cannot import the named modules."""
    hidden = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in names)
    return subprocess.run(
        [sys.executable, "-c", hidden + program], capture_output=True, text=True, check=False
    )


def test_the_core_works_without_the_packages_of_the_command_line():
    program = (
        "import opforge as mx\n"
        "x = mx.nd.ones((2,))\n"
        "x.attach_grad()\n"
        "with mx.autograd.record():\n"
        "    y = (x * 3).sum()\n"
        "y.backward()\n"
        "print(x.grad.asnumpy().tolist(), len(mx.plugin_api.metric.Accuracy().name))\n"
    )
    done = without(["tomlkit", "typer"], program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[3.0, 3.0] 8\n", "")


def test_the_command_names_the_extra_to_install():
    program = "from opforge.cli import main\nsys.argv = ['opforge', 'ops']\nmain()\n"
    done = without(["tomlkit", "typer"], program)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "opforge: the command line requires typer, which is not installed: "
        "pip install 'opforge[cli]'\n"
    )


def test_so_does_one_that_edits_settings(tmp_path):
    program = (
        "import os\n"
        f"os.environ['OPFORGE_SETTINGS'] = {str(tmp_path / 'settings.toml')!r}\n"
        "from opforge.cli import main\n"
        "sys.argv = ['opforge', 'plugins', 'pin', 'dot', 'opforge']\n"
        "main()\n"
    )
    done = without(["tomlkit"], program)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "opforge: the command line requires tomlkit, which is not installed: "
        "pip install 'opforge[cli]'\n"
    )


def test_other_missing_modules_are_reported_as_they_are():
    program = "from opforge.cli import main\nmain()\n"
    done = without(["opforge.cli.app"], program)
    assert done.returncode == 1
    assert "ModuleNotFoundError" in done.stderr and "opforge[cli]" not in done.stderr


def test_python_m_opforge_is_the_command_line():
    done = subprocess.run(
        [sys.executable, "-m", "opforge", "--help"], check=True, capture_output=True, text=True
    )
    assert "check" in done.stdout and "doctor" in done.stdout
