"""`examine`: the instructions that `opforge doctor` names."""

from types import SimpleNamespace

import pytest
from opforge_quantization import examination


@pytest.mark.parametrize(
    ("lanes", "has_dots", "text"),
    [
        (16, 1, "products of bytes by AVX-512 VNNI"),
        (16, 0, "products of bytes by AVX-512; without AVX-512 VNNI"),
        (8, 0, "products of bytes by AVX2; without AVX-512 VNNI"),
        (4, 0, "products of bytes by vectors of 128 bits; without AVX-512 VNNI"),
    ],
)
def test_instructions(monkeypatch, lanes, has_dots, text):
    monkeypatch.setattr(examination, "LIBRARY", SimpleNamespace(LANES=lanes, BYTE_DOTS=has_dots))
    ((found, remedy),) = examination.examine()
    assert found.startswith(text) and remedy == ""
