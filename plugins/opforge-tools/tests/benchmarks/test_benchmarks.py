"""The package: one table of cases, and nothing loaded that is not measured."""

import subprocess
import sys

from opforge import benchmarks


def test_the_package_hands_the_cases_on():
    assert benchmarks.select("") == benchmarks.CASES
    assert {type(case) for case in benchmarks.CASES} == {benchmarks.Case}


def test_cases_load_no_library():
    code = (
        "import sys, opforge_tools.benchmarks\n"
        "assert not {'torch', 'opforge.ndarray', 'opforge.gluon'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
