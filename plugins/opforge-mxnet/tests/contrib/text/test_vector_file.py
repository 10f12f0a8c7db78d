import pytest

from opforge.base import OpforgeError
from opforge.contrib.text.vector_file import VectorFileError, read_vectors


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a file and reads its vectors."""

    def read(text, delimiter=" ", encoding="utf8"):
        path = tmp_path / "vectors.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return {token: list(v) for token, v in read_vectors(path, delimiter, encoding)}

    return read


@pytest.mark.parametrize(
    "text",
    [
        "a 1 2\nb 3 4\n",
        "a 1 2\r\nb 3 4",
        "2 2\na 1.0 2e0 \nb 3 4\n",  # as FastText's, with its header and blanks
    ],
)
def test_lines_of_tokens_and_numbers(read, text):
    assert read(text) == {"a": [1, 2], "b": [3, 4]}


def test_other_delimiters_and_encodings(read):
    assert read("ä\t1\t2\n".encode("latin-1"), "\t", "latin-1") == {"ä": [1, 2]}
    assert read("ä||1||2\n", "||") == {"ä": [1, 2]}


def test_a_token_may_have_blanks(read):
    text = "a 1 2\n. . 3 4\nat name@domain.com 5 6\nu\u2028v 7 8\n"
    assert read(text) == {
        "a": [1, 2],
        ". .": [3, 4],
        "at name@domain.com": [5, 6],
        "u\u2028v": [7, 8],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2\na 3 4\nb 5 6\n", "line 2: a second vector of the token 'a' is left out"),
        ("a 1 2\nc 7\nb 5 6\n", "line 2: 'c' with one number is left out"),
        ("x 7\na 1 2\nb 5 6\n", "line 1: 'x' with one number"),
    ],
)
def test_skipped_lines_warn(read, text, message):
    with pytest.warns(UserWarning, match=message):
        assert read(text) == {"a": [1, 2], "b": [5, 6]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2\nb\n", r"line 2: got 'b\\n', expected a token and its numbers with ' ' between"),
        ("a 1 2\n\nb 1 2\n", r"line 2: got '\\n'"),
        ("a 1 2 3\nb 1 2\n", "line 2: the vector of 'b' has 2 numbers, expected 3"),
        ("a 1 2\nb 1 2 3\n", "line 2: the vector of 'b' has 3 numbers, expected 2"),
        ("a 1 2\nb 1 x\n", "line 2: could not convert string to float: 'x', in 'b 1 x"),
        ("a 1\t2\n", r"line 1: could not convert.*1\\t2"),
        (b"a 1 2\n\xff 1 2\n", "bytes that are no utf8"),
        ("", "has 0 lines and no vector"),
        ("1 2\n", "has 1 lines and no vector"),
        ("a " + "1 " * 100 + "x", r"in 'a 1 1.*\.\.\.'"),
    ],
)
def test_invalid_vector_files_raise(read, text, message):
    with pytest.raises(VectorFileError, match=message) as caught:
        read(text)
    for kind in (AssertionError, ValueError, OpforgeError):
        assert isinstance(caught.value, kind)
    assert "vectors.txt" in str(caught.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(ValueError, match=r"must be a valid path .* there is no file .*missing"):
        list(read_vectors(tmp_path / "missing", " ", "utf8"))
