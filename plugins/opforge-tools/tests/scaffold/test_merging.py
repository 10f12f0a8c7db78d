import pytest
from opforge_tools.scaffold.merging import merge

from opforge.base.errors import ScaffoldError

BASE = "a\nb\nc\nd\ne\n"


def test_both_changes_are_there():
    mine, theirs = BASE.replace("a", "my a"), BASE.replace("e", "new e")
    assert merge(mine, BASE, theirs) == ("my a\nb\nc\nd\nnew e\n", False)


def test_a_conflict_shows_both():
    text, conflict = merge("mine\n", "base\n", "theirs\n")
    assert conflict
    assert text == "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> templates now\n"


def test_undecodable_bytes_are_kept():
    mine = "\udcff a\nb\nc\nd\ne\n"
    assert merge(mine, BASE, BASE.replace("e", "new e")) == ("\udcff a\nb\nc\nd\nnew e\n", False)


def test_git_rejects_binary_files():
    with pytest.raises(ScaffoldError, match=r"git cannot merge a file: .*binary"):
        merge("\0", BASE, "x")


def test_without_git(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ScaffoldError, match="git, which is not installed; install git"):
        merge("a", "b", "c")
