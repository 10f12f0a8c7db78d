"""Running another program in this process."""

import json
import os
import subprocess
import sys

import pytest

from opforge.base.programs import program_frames, run_program

OWN = """
import json, os, sys
print(json.dumps([sys.argv, __name__, sys.path[0], sys.modules["__main__"].__dict__ is globals()]))
"""


@pytest.mark.parametrize("kind", ["script", "-m", "-c", "-"])
def test_programs_get_pythons_environment(tmp_path, kind):
    (tmp_path / "own.py").write_text(OWN)
    folder = tmp_path / "present"
    folder.mkdir()
    words = {"script": ["../own.py"], "-m": ["-m", "own"], "-c": ["-c", OWN], "-": ["-"]}[kind]
    expected = subprocess.run(
        [sys.executable, *words, "x", "-m"],
        input=OWN,
        capture_output=True,
        text=True,
        cwd=tmp_path if kind == "-m" else folder,
    ).stdout
    code = f"from opforge.base.programs import run_program; run_program({[*words, 'x', '-m']!r})"
    found = subprocess.run(
        [sys.executable, "-c", code],
        input=OWN,
        capture_output=True,
        text=True,
        cwd=tmp_path if kind == "-m" else folder,
    ).stdout
    argv, name, path, is_main = json.loads(found)
    argv_of_python, *_, path_of_python, _ = json.loads(expected)
    assert (argv, name, is_main) == (argv_of_python, "__main__", True)
    assert os.path.realpath(path) == os.path.realpath(folder / path_of_python)


def test_tracebacks_begin_with_the_program(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text("def inner():\n    raise KeyError\ninner()\n")
    before = sys.path[0], sys.argv
    try:
        run_program([str(script)])
    except KeyError as error:
        first = program_frames(error.__traceback__, __name__)
    finally:
        sys.path[0], sys.argv = before
    assert first.tb_frame.f_code.co_filename == str(script)
    assert program_frames(None, __name__) is None
