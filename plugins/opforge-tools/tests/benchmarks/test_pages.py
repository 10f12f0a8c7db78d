import pytest
from opforge_tools.benchmarks.pages import filled


def test_a_missing_block_is_an_error():
    page = "before\n<!-- figures: a -->\nold\n<!-- end of figures -->\nafter\n"
    new = filled(page, {"a": "new\n"})
    assert new == "before\n<!-- figures: a -->\n\nnew\n\n<!-- end of figures -->\nafter\n"
    assert filled(new, {"a": "new\n"}) == new
    with pytest.raises(ValueError, match="has no section b"):
        filled(page, {"b": "new\n"})
