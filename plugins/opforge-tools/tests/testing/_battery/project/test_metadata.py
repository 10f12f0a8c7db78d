from importlib.metadata import PathDistribution

from opforge_tools.testing._battery.project.metadata import write_metadata


def test_written_metadata_is_read_by_python(tmp_path):
    points = {"opforge": {"gelu": "acme_gelu"}, "opforge.ops": {"gelu": "acme_gelu:Gelu"}}
    info = write_metadata(tmp_path, "acme-gelu", "1.2", points)
    found = PathDistribution(info)
    assert (found.name, found.version) == ("acme-gelu", "1.2")
    assert {(p.group, p.name, p.value) for p in found.entry_points} == {
        ("opforge", "gelu", "acme_gelu"),
        ("opforge.ops", "gelu", "acme_gelu:Gelu"),
    }


def test_no_entry_points(tmp_path):
    assert len(PathDistribution(write_metadata(tmp_path, "none", "1", {})).entry_points) == 0
