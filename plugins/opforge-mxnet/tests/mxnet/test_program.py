"""``python -m opforge.mxnet`` runs a program as python itself does, with mxnet being opforge."""

import json
import os
import subprocess
import sys

import pytest

SCRIPT = """
import json, os, sys
import mxnet as mx
import opforge
from mxnet import gluon

print(json.dumps({
    "argv": sys.argv, "name": __name__, "same": mx is opforge and gluon is opforge.gluon,
    "folder": sys.path[0], "main": sys.modules["__main__"].__dict__ is globals(),
}))
"""


def run(*words, cwd=None, env=None, text=""):
    return subprocess.run(
        [sys.executable, "-m", "opforge.mxnet", *map(str, words)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={**os.environ, **(env or {})},
    )


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def facts(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_scripts_get_pythons_environment(script):
    found = facts(run("--force", script, "--lr", "0.1", "--force", "-m"))
    assert found["argv"] == [str(script), "--lr", "0.1", "--force", "-m"]
    assert found["name"] == "__main__"
    assert found["same"] and found["main"]
    assert found["folder"] == str(script.parent)


def test_a_module_is_run_with_m(script):
    found = facts(run("--force", "-m", "train", "x", cwd=script.parent))
    assert found["argv"] == [str(script), "x"]
    assert found["name"] == "__main__" and found["main"]


def test_code_is_run_with_c():
    code = "import mxnet, sys; print(mxnet.__name__, sys.argv, __name__)"
    done = run("--force", "-c", code, "x")
    assert done.stdout.split("\n")[0] == "opforge ['-c', 'x'] __main__", done.stderr


@pytest.mark.parametrize(("words", "argv"), [([], ["-"]), (["-", "x", "-m"], ["-", "x", "-m"])])
def test_a_program_on_standard_input(words, argv, tmp_path):
    found = facts(run("--force", *words, text=SCRIPT, cwd=tmp_path))
    assert found["argv"] == argv
    assert found["name"] == "__main__" and found["same"] and found["main"]
    assert os.path.realpath(found["folder"]) == os.path.realpath(tmp_path)


def test_without_a_program_a_terminal_is_not_read():
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "opforge.mxnet"], stdin=theirs, capture_output=True, text=True
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2 and "pass a program" in done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
@pytest.mark.parametrize("kind", ["script", "-m"])
def test_child_processes_import_opforge(method, kind, tmp_path):
    (tmp_path / "train.py").write_text(f"""
import multiprocessing
import mxnet as mx

def work(x):
    import mxnet, opforge
    return mxnet is opforge and mx is opforge, mxnet.__version__, int((x * 2).asscalar())

if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        print(pool.map(work, [mx.nd.ones(1)]))
""")
    words = {"script": ["train.py"], "-m": ["-m", "train"]}[kind]
    done = run("--force", *words, cwd=tmp_path)
    assert done.stdout == "[(True, '1.9.1', 2)]\n", done.stderr


def test_a_program_finds_the_version_of_mxnets_api():
    done = run("-c", "import mxnet; print(mxnet.__version__)")
    assert done.stdout == "1.9.1\n"


def test_the_exit_status_is_the_programs(tmp_path):
    done = run("--force", "-c", "import sys; sys.exit(7)")
    assert done.returncode == 7


def test_tracebacks_begin_with_the_program(tmp_path):
    path = tmp_path / "fails.py"
    path.write_text("def f():\n    raise KeyError('k')\n\nf()\n")
    done = run("--force", path)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Traceback")
    assert lines[1].strip() == f'File "{path}", line 4, in <module>'
    assert lines[-1] == "KeyError: 'k'"
    assert "opforge" not in done.stderr and "runpy" not in done.stderr


def test_a_removed_numpy_name_is_explained_and_put_back_when_asked():
    code = "import numpy as np; print(np.int(3))"
    done = run("--force", "-c", code)
    assert done.returncode == 1
    assert "numpy.int was removed; python -m opforge.mxnet --numpy-aliases" in done.stderr
    assert run("--force", "--numpy-aliases", "-c", code).stdout == "3\n"


def test_a_removed_numpy_name_in_an_operator_is_explained():
    code = """
import mxnet as mx, numpy as np
class Op(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0].asnumpy().astype(np.int))
@mx.operator.register("op")
class Prop(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Op()
mx.nd.Custom(mx.nd.ones(2), op_type="op")
"""
    done = run("--force", "-c", code)
    assert done.returncode == 1
    assert "numpy.int was removed;" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m"], "pass a program"),
        (["--lr", "x.py"], "unrecognized arguments: --lr"),
        (["nowhere.py"], "the file 'nowhere.py' does not exist"),
    ],
)
def test_invalid_command_lines_name_the_missing_part(words, message):
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_real_mxnet_beside_the_script_is_not_hidden(script):
    (script.parent / "mxnet.py").write_text("real = True\n")
    done = run(script)
    assert done.returncode == 2
    assert done.stderr.startswith("opforge.mxnet: a real MXNet is installed at ")
    assert facts(run("--force", script))["same"]


def test_the_packages_of_opforges_own_command_line_are_not_needed(script):
    program = (
        "import runpy, sys\n"
        "sys.modules.update(tomlkit=None, typer=None)\n"
        f"sys.argv = ['mxnet', {str(script)!r}]\n"
        "runpy.run_module('opforge.mxnet', run_name='__main__', alter_sys=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert facts(done)["same"]
