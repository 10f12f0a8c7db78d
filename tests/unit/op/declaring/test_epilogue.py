"""Names of epilogue steps are those of the header; others are rejected."""

import re
from pathlib import Path

import pytest

import opforge
from opforge.op.declaring.epilogue import EPILOGUES
from opforge.plugin_api import OperatorProp


def test_epilogues_match_the_header():
    header = Path(opforge.get_include(), "opforge", "abi.h").read_text()
    numbers = {name.lower(): int(at) for name, at in re.findall(r"STEP_(\w+) = (\d+)", header)}
    assert numbers == {name: at for at, name in enumerate(EPILOGUES)}


def test_a_declaration_names_steps_alone():
    with pytest.raises(TypeError, match="Wrong: epilogues has 'rellu', expected names of add,"):
        type("Wrong", (OperatorProp,), {"epilogues": ("add", "rellu")})
    with pytest.raises(TypeError, match=r"epilogues is 'relu', expected a tuple of names; write"):
        type("Wrong", (OperatorProp,), {"epilogues": "relu"})
    with pytest.raises(TypeError, match="epilogue_dtypes has 'int8', expected names of float32,"):
        type("Wrong", (OperatorProp,), {"epilogue_dtypes": ("float32", "int8")})
