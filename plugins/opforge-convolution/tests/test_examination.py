"""`examine`: the instructions that `opforge doctor` names."""

from types import SimpleNamespace

import pytest
from opforge_convolution import examination


@pytest.mark.parametrize(
    ("has_products", "text"),
    [(1, "products of bfloat16 by AVX512-BF16"), (0, "products of bfloat16 in float32: without")],
)
def test_instructions(monkeypatch, has_products, text):
    library = SimpleNamespace(BFLOAT16_PRODUCTS=has_products)
    monkeypatch.setattr(examination, "LIBRARY", library)
    ((found, remedy),) = examination.examine()
    assert found.startswith(text) and remedy == ""
