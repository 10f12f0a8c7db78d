"""The programs of the guide on the array API standard print what the page shows."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.plugins
PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "array_api.md"
PROGRAM = re.compile(
    r"^:caption: (?P<name>\w+\.py)\n(?P<code>.+?)^```$.*?"
    r"^```console\n\$ python (?P=name)\n(?P<shown>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
PROGRAMS = [
    pytest.param(match["code"], match["shown"], id=match["name"])
    for match in PROGRAM.finditer(PAGE.read_text(encoding="utf-8"))
]


def test_the_page_has_programs():
    assert len(PROGRAMS) == 2


@pytest.mark.parametrize(("code", "shown"), PROGRAMS)
def test_a_program_prints_what_the_page_shows(code, shown, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == shown, done.stderr
