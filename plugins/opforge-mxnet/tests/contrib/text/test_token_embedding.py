from collections import Counter

import pytest

from opforge import autograd, nd
from opforge.contrib.text.embedding import CustomEmbedding
from opforge.contrib.text.token_embedding import TokenEmbedding
from opforge.contrib.text.vocab import Vocabulary


@pytest.fixture
def words(tmp_path):
    """Return a function that makes an embedding of a text."""

    def make(text="a 1 2\nb 3 4\n", **kwargs):
        path = tmp_path / "vectors.txt"
        path.write_text(text)
        return CustomEmbedding(path, **kwargs)

    return make


def values(array):
    return array.asnumpy().tolist()


def test_vectors_by_token(words):
    found = words()
    assert found.idx_to_token == ["<unk>", "a", "b"] and found.vec_len == 2
    assert found.idx_to_vec.shape == (3, 2) and found.idx_to_vec.dtype.__name__ == "float32"
    assert values(found.get_vecs_by_tokens("b")) == [3, 4]
    assert values(found.get_vecs_by_tokens(["b", "B", "a"])) == [[3, 4], [0, 0], [1, 2]]
    assert values(found.get_vecs_by_tokens(["B"], lower_case_backup=True)) == [[3, 4]]
    assert found.get_vecs_by_tokens([]).shape == (0, 2)


def test_unknown_and_reserved_tokens_have_vectors_of_file_or_callback(words):
    found = words(
        "a 1 2\n<unk> 5 6\n<bos> 7 8\n",
        init_unknown_vec=nd.ones,
        reserved_tokens=["<pad>", "<bos>"],
    )
    assert found.idx_to_token == ["<unk>", "<pad>", "<bos>", "a"]
    assert values(found.idx_to_vec) == [[5, 6], [1, 1], [7, 8], [1, 2]]


def test_tokens_of_a_vocabulary_alone(words):
    vocabulary = Vocabulary(Counter(["b", "x"]), unknown_token="?", reserved_tokens=["<pad>"])
    found = words(init_unknown_vec=nd.ones, vocabulary=vocabulary)
    assert found.idx_to_token == ["?", "<pad>", "b", "x"] and found.unknown_token == "?"
    assert values(found.idx_to_vec) == [[1, 1], [1, 1], [3, 4], [1, 1]]
    assert found.reserved_tokens == ["<pad>"]
    found.idx_to_token.append("own")
    assert "own" not in vocabulary.idx_to_token
    alone = words(vocabulary=Vocabulary())
    assert values(alone.idx_to_vec) == [[0, 0]]


@pytest.mark.parametrize(
    ("tokens", "vectors"),
    [("a", [9, 8]), ("a", [[9, 8]]), (["a"], [9, 8]), (["b", "a"], [[3, 4], [9, 8]])],
)
def test_other_vectors(words, tokens, vectors):
    found = words()
    found.update_token_vectors(tokens, nd.array(vectors))
    assert values(found.idx_to_vec) == [[0, 0], [9, 8], [3, 4]]


@pytest.mark.parametrize(
    ("tokens", "vectors", "error", "message"),
    [
        ("a", nd.zeros(3), AssertionError, r"shape \(3,\), expected \(1, 2\)"),
        ("a", nd.zeros((2, 2)), AssertionError, r"shape \(2, 2\), expected \(1, 2\)"),
        (["a", "b"], nd.zeros(2), AssertionError, r"shape \(2,\), expected \(2, 2\)"),
        ("a", [1, 2], AssertionError, "new_vectors is list"),
        (["a", "z"], nd.zeros((2, 2)), ValueError, "Token z is unknown"),
    ],
)
def test_vectors_that_do_not_fit_change_nothing(words, tokens, vectors, error, message):
    found = words()
    with pytest.raises(error, match=message):
        found.update_token_vectors(tokens, vectors)
    assert values(found.idx_to_vec) == [[0, 0], [1, 2], [3, 4]]


def test_vectors_have_gradients(words):
    found = words()
    found.idx_to_vec.attach_grad()
    with autograd.record():
        total = found.get_vecs_by_tokens(["a", "a", "?"]).sum()
    total.backward()
    assert values(found.idx_to_vec.grad) == [[1, 1], [2, 2], [0, 0]]


def test_a_class_of_ones_own_names_its_files(tmp_path):
    class Mine(TokenEmbedding):
        pretrained_file_name_sha1 = {"mine.vec": None}

    Mine._check_pretrained_file_names("mine.vec")
    with pytest.raises(KeyError, match=r"Cannot find pretrained file my\.vec for token embedding"):
        Mine._check_pretrained_file_names("my.vec")
    (tmp_path / "mine").mkdir()
    path = tmp_path / "mine" / "mine.vec"
    path.write_text("a 1 2\n")
    assert Mine._get_pretrained_file(tmp_path, "mine.vec") == str(path)
    assert Mine._get_download_file_name("mine.vec") == "mine.vec"
