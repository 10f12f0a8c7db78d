import random

import numpy as np
import pytest

from opforge import rnn


def test_words_get_numbers_in_their_order():
    encoded, vocab = rnn.encode_sentences([["a", "b"], ["b", "c"]], start_label=1)
    assert encoded == [[1, 2], [2, 3]]
    assert vocab == {"\n": -1, "a": 1, "b": 2, "c": 3}


def test_no_word_gets_the_invalid_label():
    encoded, vocab = rnn.encode_sentences([["a", "b", "c"]], invalid_label=1)
    assert encoded == [[0, 2, 3]] and vocab["\n"] == 1


def test_unknown_words_share_a_number():
    vocab = {"a": 1}
    encoded, known = rnn.encode_sentences([["a", "x", "y"]], vocab, unknown_token="UNK")
    assert encoded == [[1, 0, 0]] and known is vocab and vocab == {"a": 1, "UNK": 0}
    with pytest.raises(AssertionError, match="Unknown token x"):
        rnn.encode_sentences([["x"]], {"a": 1})


def sentences(n_short=5, n_long=4):
    return [[at, at + 1] for at in range(n_short)] + [[at] * 4 for at in range(n_long)]


@pytest.mark.parametrize("layout", ["NT", "TN"])
def test_batches_of_one_length(layout):
    batches = rnn.BucketSentenceIter(sentences(), 2, layout=layout, invalid_label=-9)
    assert batches.buckets == [2, 4] and batches.default_bucket_key == 4
    assert batches.provide_data[0] == ("data", (2, 4) if layout == "NT" else (4, 2))
    found = list(batches)
    assert sorted(batch.bucket_key for batch in found) == [2, 2, 4, 4]
    for batch in found:
        data, label = (a[0].asnumpy() for a in (batch.data, batch.label))
        assert batch.provide_data[0].shape == batch.provide_label[0].shape == data.shape
        if layout == "TN":
            data, label = data.T, label.T
        assert data.shape == (2, batch.bucket_key)
        assert np.array_equal(label[:, :-1], data[:, 1:])
        assert (label[:, -1] == -9).all()
    batches.reset()
    assert len(list(batches)) == 4


def test_short_sentences_are_filled_up_and_long_ones_left_out(caplog):
    batches = rnn.BucketSentenceIter(sentences(), 3, buckets=[3, 1])
    assert batches.buckets == [3]
    assert "discarded 4 sentences" in caplog.text
    (batch,) = batches
    assert (batch.data[0].asnumpy()[:, 2] == -1).all()


def test_equal_seeds_give_equal_batches():
    def rows():
        random.seed(1)
        np.random.seed(1)
        return [
            batch.data[0].asnumpy().tolist() for batch in rnn.BucketSentenceIter(sentences(), 2)
        ]

    assert rows() == rows()


def test_bad_arguments():
    with pytest.raises(ValueError, match="Invalid layout NX"):
        rnn.BucketSentenceIter(sentences(), 2, layout="NX")
    with pytest.raises(ValueError, match="none holds a sentence"):
        rnn.BucketSentenceIter(sentences(), 2, buckets=[1])
    with pytest.raises(ValueError, match="none holds a sentence"):
        rnn.BucketSentenceIter(sentences(), 20)
