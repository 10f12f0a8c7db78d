"""The lists of tests of the public suite that are skipped or fail."""

from pathlib import Path

import pytest

#: Number of tests of the suite in version 2025.12.
TESTS = 1380
#: Largest part of them that may fail.
SHARE = 0.03


def paragraphs(name: str) -> list[list[str]]:
    """Return the lines of each paragraph below the heading of a list."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [part.splitlines() for part in text.split("\n\n")[1:]]


@pytest.mark.parametrize("name", ["skips.txt", "expected_failures.txt"])
def test_each_line_has_a_reason(name: str) -> None:
    tests = []
    for lines in paragraphs(name):
        assert lines[0].startswith("# ")
        found = [line for line in lines if not line.startswith("#")]
        assert found
        assert all(line.startswith("array_api_tests/") for line in found)
        tests += found
    assert len(tests) == len(set(tests))


def test_few_failures_are_expected() -> None:
    lines = [line for part in paragraphs("expected_failures.txt") for line in part]
    assert sum(not line.startswith("#") for line in lines) <= SHARE * TESTS
