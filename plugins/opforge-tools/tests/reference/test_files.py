from opforge_tools.reference.files import leftover_files, stale_files, write_files


def test_only_changed_files_are_written(tmp_path):
    texts = {"a.md": "a", "b/c.md": "é\n"}
    assert write_files(tmp_path, texts) == [tmp_path / "a.md", tmp_path / "b" / "c.md"]
    assert (tmp_path / "b" / "c.md").read_bytes() == "é\n".encode()
    assert write_files(tmp_path, texts) == stale_files(tmp_path, texts) == []
    (tmp_path / "a.md").write_text("b")
    assert stale_files(tmp_path, texts) == [tmp_path / "a.md"]


def test_leftovers_are_marked_files_of_former_runs(tmp_path):
    write_files(tmp_path, {"a.md": "<!-- m -->\na", "b/c.md": "<!-- m -->\nc", "own.md": "own"})
    assert leftover_files(tmp_path, {"a.md": ""}, "<!-- m -->") == [tmp_path / "b" / "c.md"]
    assert leftover_files(tmp_path / "nowhere", {}, "<!-- m -->") == []
