"""The page of `OperatorProp`'s class attributes has a row for each of them, with its default."""

import re
from pathlib import Path

from opforge.op.declaring.custom import CustomOpProp
from opforge.op.declaring.declaration import OperatorProp

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "operator_prop.md"
ROW = re.compile(
    r"^\| `(?P<name>\w+)` \| (?P<default>[^|]+) \| (?P<meaning>[^|]+) \|$", re.MULTILINE
)


def _rows() -> dict[str, str]:
    return {found["name"]: found["default"].strip() for found in ROW.finditer(PAGE.read_text())}


def _class_attributes() -> dict[str, object]:
    return {
        name: value
        for base in OperatorProp.__mro__
        if base not in CustomOpProp.__mro__
        for name, value in vars(base).items()
        if not name.startswith("_") and not hasattr(CustomOpProp, name) and not _is_method(value)
    }


def _is_method(value: object) -> bool:
    return callable(value) or isinstance(value, classmethod)


def test_every_class_attribute_has_a_row() -> None:
    assert set(_rows()) == set(_class_attributes())


def test_the_defaults_are_those_of_the_class() -> None:
    shown = {name: text for name, text in _rows().items() if text.startswith("`")}
    actual = _class_attributes()
    different = {
        name: text for name, text in shown.items() if text.strip("`") != _source_text(actual[name])
    }
    assert not different


def _source_text(value: object) -> str:
    if isinstance(value, list | tuple):
        names = ", ".join(f'"{item}"' for item in value)
        return f"({names},)" if len(value) == 1 else f"({names})"
    return '""' if value == "" else repr(value)
