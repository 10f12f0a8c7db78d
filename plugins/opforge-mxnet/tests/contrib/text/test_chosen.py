from collections import Counter

import pytest

from opforge import nd
from opforge.contrib.text.embedding import CompositeEmbedding, CustomEmbedding
from opforge.contrib.text.vocab import Vocabulary


@pytest.fixture
def parts(tmp_path):
    """Return a function that makes two embeddings."""
    (tmp_path / "one").write_text("a 1 2\nb 3 4\n")
    (tmp_path / "two").write_text("b\t5\t5.5\n<none>\t7\t7.5\n")
    return lambda: [
        CustomEmbedding(tmp_path / "one", init_unknown_vec=nd.ones),
        CustomEmbedding(tmp_path / "two", elem_delim="\t", unknown_token="<none>"),
    ]


def test_vectors_side_by_side(parts):
    words = Vocabulary(Counter(["a", "b", "c"]), reserved_tokens=["<pad>"])
    both = CompositeEmbedding(words, parts())
    assert both.idx_to_token == words.idx_to_token and both.vec_len == 4
    assert both.reserved_tokens == ["<pad>"]
    assert both.idx_to_vec.asnumpy().tolist() == [
        [1, 1, 7, 7.5],
        [1, 1, 7, 7.5],
        [1, 2, 7, 7.5],
        [3, 4, 5, 5.5],
        [1, 1, 7, 7.5],
    ]
    both.update_token_vectors("c", nd.arange(4))
    assert both.get_vecs_by_tokens("c").asnumpy().tolist() == [0, 1, 2, 3]


def test_one_embedding(parts):
    one = parts()[0]
    found = CompositeEmbedding(Vocabulary(), one)
    assert found.idx_to_vec.asnumpy().tolist() == [[1, 1]]
    found.update_token_vectors("<unk>", nd.zeros(2))
    assert one.idx_to_vec[0].asnumpy().tolist() == [1, 1]  # it is a copy


@pytest.mark.parametrize(
    ("words", "several", "message"),
    [
        (["a"], [], "vocabulary is list, expected a contrib.text.vocab.Vocabulary"),
        (Vocabulary(), [Vocabulary()], "token_embeddings has Vocabulary, expected embeddings"),
    ],
)
def test_invalid_compositions_raise(words, several, message):
    with pytest.raises(AssertionError, match=message):
        CompositeEmbedding(words, several)
