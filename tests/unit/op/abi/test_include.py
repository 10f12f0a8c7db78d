"""The folder that authors of native operators include."""

from pathlib import Path

import opforge


def test_the_folder_has_the_header_and_what_cython_needs():
    folder = Path(opforge.get_include())
    assert {path.name for path in (folder / "opforge").iterdir()} >= {"abi.h", "abi.pxd"}
