import pytest

from opforge.contrib.text import embedding, vocab


@pytest.fixture
def root(tmp_path):
    """A folder with a small file for each published embedding."""
    for name in ("glove/glove.6B.50d.txt", "fasttext/wiki.simple.vec"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("a 1 2\nb 3 4\n")
    return tmp_path


@pytest.mark.parametrize(
    "make",
    [
        lambda root: embedding.GloVe("glove.6B.50d.txt", root),
        lambda root: embedding.FastText(embedding_root=root),
        lambda root: embedding.create("FastText", embedding_root=root),
    ],
)
def test_files_of_this_machine(root, make):
    assert make(root).idx_to_vec.asnumpy().tolist() == [[0, 0], [1, 2], [3, 4]]


def test_a_vocabulary(root):
    words = vocab.Vocabulary(reserved_tokens=["b"])
    found = embedding.FastText(embedding_root=root, vocabulary=words)
    assert found.idx_to_vec.asnumpy().tolist() == [[0, 0], [3, 4]]


def test_names_of_files():
    every = embedding.get_pretrained_file_names()
    assert len(every["glove"]) == 10 and len(set(every["fasttext"])) == 327
    assert embedding.get_pretrained_file_names("glove") == every["glove"]
    with pytest.raises(KeyError, match="Cannot find `embedding_name` word2vec; expected one of"):
        embedding.get_pretrained_file_names("word2vec")


@pytest.mark.parametrize(
    ("name", "archive"),
    [
        ("glove.6B.300d.txt", "glove.6B.zip"),
        ("glove.840B.300d.txt", "glove.840B.300d.zip"),
        ("glove.twitter.27B.25d.txt", "glove.twitter.27B.zip"),
        ("wiki.multi.de.vec", "wiki.multi.de.zip"),
    ],
)
def test_names_of_archives(name, archive):
    kind = embedding.GloVe if name.startswith("glove") else embedding.FastText
    assert name in kind.pretrained_file_name_sha1
    assert kind._get_download_file_name(name) == archive


def test_unknown_or_missing_embeddings_raise(tmp_path):
    with pytest.raises(KeyError, match=r"Cannot find pretrained file glove\.txt"):
        embedding.GloVe("glove.txt")
    with pytest.raises(FileNotFoundError, match=r"Put it into .*fasttext as wiki\.simple\.vec"):
        embedding.create("fasttext", embedding_root=tmp_path)
    with pytest.raises(ValueError, match="Cannot find token embedding word2vec"):
        embedding.create("word2vec")


def test_a_class_of_ones_own_is_registered(root):
    @embedding.register
    class Pairs(embedding._TokenEmbedding):
        pretrained_file_name_sha1 = {"pairs.txt": None}

        def __init__(self, path, **kwargs):
            super().__init__(**kwargs)
            self._load_embedding(path, " ", lambda shape: self._ones(shape))

        def _ones(self, shape):
            from opforge import nd

            return nd.ones(shape)

    found = embedding.create("pairs", path=root / "fasttext" / "wiki.simple.vec")
    assert found.idx_to_vec.asnumpy().tolist() == [[1, 1], [1, 2], [3, 4]]
    assert embedding.get_pretrained_file_names("pairs") == ["pairs.txt"]
