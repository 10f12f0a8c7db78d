import hashlib
import tarfile
import zipfile

import pytest

from opforge.base.errors import MissingFileError, OpforgeError
from opforge.contrib.text.pretrained_files import expect_name, local_file

TEXT = b"a 1 2\n"
DIGEST = hashlib.sha1(TEXT).hexdigest()


def found(root, published="v.zip", sha1_hash=None, download=False):
    return local_file(root, "words", "v.txt", published, sha1_hash, download)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "words"
    made.mkdir()
    return made


def pack(path, name="v.txt"):
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, TEXT)
    else:
        source = path.with_name("source")
        source.write_bytes(TEXT)
        with tarfile.open(path, "w:gz") as archive:
            archive.add(source, name)
        source.unlink()


def test_a_file_that_is_there(folder):
    (folder / "v.txt").write_bytes(TEXT)
    assert found(folder.parent) == str(folder / "v.txt")
    assert found(folder.parent, sha1_hash=DIGEST.upper()) == str(folder / "v.txt")
    with pytest.raises(OpforgeError, match=f"has the SHA-1 {DIGEST}, expected 00.*Replace it"):
        found(folder.parent, sha1_hash="00" * 20)


def test_the_default_folder(folder, monkeypatch):
    monkeypatch.setenv("OPFORGE_HOME", str(folder.parent))
    place = folder.parent / "embeddings" / "words" / "v.txt"
    place.parent.mkdir(parents=True)
    place.write_bytes(TEXT)
    assert found(None) == str(place)


@pytest.mark.parametrize("published", ["v.zip", "v.tar.gz"])
def test_out_of_an_archive(folder, published):
    pack(folder / published)
    for _ in range(2):
        assert found(folder.parent, published) == str(folder / "v.txt")
    assert (folder / "v.txt").read_bytes() == TEXT
    assert sorted(path.name for path in folder.iterdir()) == sorted(["v.txt", published])


@pytest.mark.parametrize("published", ["v.zip", "v.tar.gz"])
@pytest.mark.parametrize("content", ["other", "cut", "text"])
def test_a_wrong_archive(folder, published, content):
    path = folder / published
    pack(path, "other.txt" if content == "other" else "v.txt")
    if content == "cut":
        path.write_bytes(path.read_bytes()[:-30])
    elif content == "text":
        path.write_bytes(TEXT)
    with pytest.raises(OpforgeError, match=r"cannot extract v\.txt from .*Replace the archive"):
        found(folder.parent, published)
    assert [entry.name for entry in folder.iterdir()] == [published]


def test_nothing_is_downloaded_unasked(tmp_path, monkeypatch):
    source = tmp_path / "source"
    (source / "gluon" / "embeddings" / "words").mkdir(parents=True)
    pack(source / "gluon" / "embeddings" / "words" / "v.zip")
    monkeypatch.setenv("OPFORGE_GLUON_REPO", source.as_uri())
    root = tmp_path / "root"
    with pytest.raises(MissingFileError) as caught:
        found(root)
    assert not root.exists()
    for part in (
        f"there is no file {root}/words/v.txt",
        f"Put it into {root}/words as v.txt, or the archive as v.zip",
        f"download=True, which tries {source.as_uri()}/gluon/embeddings/words/v.zip",
    ):
        assert part in str(caught.value)
    assert found(root, download=True) == str(root / "words" / "v.txt")


def test_names():
    known = {"glove.6B.50d.txt": None, "glove.6B.100d.txt": None}
    assert expect_name("glove", "glove.6B.50d.txt", known) is None
    with pytest.raises(KeyError, match=r"file glove\.6B\.50d for token embedding glove.*50d\.txt"):
        expect_name("glove", "glove.6B.50d", known)
