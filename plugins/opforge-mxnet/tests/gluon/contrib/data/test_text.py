import zipfile

import numpy as np
import pytest

import opforge as mx
from opforge.gluon.contrib.data import text

CONTENT = " \n = Title = \n \n a b a c \n b a \n"
TOKENS = ["=", "Title", "=", "<eos>", "a", "b", "a", "c", "<eos>", "b", "a", "<eos>"]


def test_sequences_of_a_local_file(tmp_path):
    (tmp_path / "wiki.valid.tokens").write_text(CONTENT)
    data = text.WikiText2(tmp_path, "validation", seq_len=3)
    assert data.frequencies["a"] == 3
    words = data.vocabulary.to_tokens
    assert len(data) == 3
    for i, (sequence, following) in enumerate(data):
        assert (sequence.shape, sequence.dtype) == ((3,), np.int32)
        assert words(sequence.asnumpy().tolist()) == TOKENS[3 * i : 3 * i + 3]
        assert words(following.asnumpy().tolist()) == TOKENS[3 * i + 1 : 3 * i + 4]


def test_a_given_vocabulary_has_the_indices(tmp_path):
    (tmp_path / "wiki.test.tokens").write_text(CONTENT)
    counter = mx.contrib.text.utils.count_tokens_from_str("a b")
    vocab = mx.contrib.text.vocab.Vocabulary(counter)
    data = text.WikiText103(tmp_path, "test", vocab, seq_len=11)
    assert data.vocabulary is vocab
    assert data[0][0].asnumpy().tolist() == [0, 0, 0, 0, 1, 2, 1, 0, 0, 2, 1]


def test_an_archive_is_extracted(tmp_path):
    with zipfile.ZipFile(tmp_path / "wikitext-2-v1.zip", "w") as archive:
        archive.writestr("wikitext-2/wiki.train.tokens", CONTENT)
    assert len(text.WikiText2(tmp_path, seq_len=2)) == 5
    (tmp_path / "wikitext-2-v1.zip").unlink()
    assert len(text.WikiText2(tmp_path, seq_len=2)) == 5
    with pytest.raises(ValueError, match="has 12 tokens, expected more than seq_len=35"):
        text.WikiText2(tmp_path)


def test_missing_files_name_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OPFORGE_GLUON_REPO", (tmp_path / "repository").as_uri())
    with pytest.raises(mx.base.OpforgeError, match=r"pass root=FOLDER .* wiki\.train\.tokens"):
        text.WikiText2(tmp_path)
    (tmp_path / "wikitext-2-v1.zip").write_bytes(b"?")
    with pytest.raises(mx.base.OpforgeError, match=r"cannot extract .*delete it"):
        text.WikiText2(tmp_path)
    with zipfile.ZipFile(tmp_path / "wikitext-2-v1.zip", "w") as archive:
        archive.writestr("other", "")
    with pytest.raises(mx.base.OpforgeError, match=r"has no file wiki\.train\.tokens"):
        text.WikiText2(tmp_path)
    with pytest.raises(ValueError, match="segment='dev', expected one of"):
        text.WikiText2(tmp_path, "dev")
