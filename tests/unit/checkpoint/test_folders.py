"""A folder is a checkpoint from the moment that its manifest is there."""

import os

import pytest

from opforge.base.errors import MXNetError
from opforge.checkpoint import folders


def test_the_manifest_makes_it_one(tmp_path):
    path = folders.new_folder(str(tmp_path), 3)
    other = folders.new_folder(str(tmp_path), 3)
    assert [os.path.basename(name) for name in (path, other)] == ["00000003", "00000003.1"]
    (tmp_path / "00000003" / "a").write_bytes(b"123")
    folders.finish_folder(path, {"step": 3})
    assert list(folders.listed_folders(str(tmp_path))) == [(3, other, False), (3, path, True)]
    found = folders.read_manifest(path)
    assert found["step"] == 3
    assert found["files"]["a"][0] == 3
    with pytest.raises(MXNetError, match=r"manifest\.json cannot be read"):
        folders.read_manifest(other)
    folders.remove_folder(path)
    folders.remove_folder(other)
    assert not os.listdir(tmp_path)


def test_a_folder_that_is_not_there_has_none(tmp_path):
    assert list(folders.listed_folders(str(tmp_path / "nowhere"))) == []


def test_many_steps_are_in_the_order_of_numbers(tmp_path):
    for step in (2, 10**9, 10):
        folders.new_folder(str(tmp_path), step)
    assert [step for step, *_ in folders.listed_folders(str(tmp_path))] == [10**9, 10, 2]
