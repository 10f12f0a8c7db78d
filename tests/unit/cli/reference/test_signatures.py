"""Signatures of classes, with and without an import."""

import sys

import pytest

from opforge.cli.reference.signatures import loaded_signature, source_signature

SOURCE = """
class Base:
    def __init__(self, first: int, /, *rest: str, low: float = -1.0, **others: object) -> None: ...

class Derived(Base): ...

class Bare: ...

def function(a): ...
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return an importable module with the classes of `SOURCE`."""
    (tmp_path / "fx_signed.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("fx_signed")
    del sys.modules["fx_signed"]


@pytest.mark.parametrize("name", ["Base", "Derived"])
def test_classes_have_the_same_signature_loaded_and_read(module, name):
    text = "(first, /, *rest, low=-1.0, **others)"
    assert loaded_signature(getattr(module, name)) == text
    assert source_signature(f"fx_signed:{name}", name) == text
    assert source_signature(f"fx_signed:{name}", name) == text  # the first call changed nothing


@pytest.mark.parametrize("value", ["fx_signed:Bare", "fx_signed:function", "fx_missing:Base"])
def test_other_objects_have_none(module, value):
    assert source_signature(value, "Unknown") == ""


def test_an_object_without_a_signature(module):
    assert loaded_signature(dict) == loaded_signature(3) == ""
