import json

from opforge.reference.badges import Badge, read_badges
from opforge.testing import check_op


def test_what_opforge_check_writes(tmp_path):
    report = check_op("tanh", only="inference|forward")
    content = {"target": "opforge", "reports": [report.as_dict()]}
    (tmp_path / "opforge.json").write_text(json.dumps(content))
    ((key, badge),) = read_badges(tmp_path).items()
    assert key == ("opforge", "tanh")
    assert report.provider.startswith("opforge ")
    assert badge.state == "passed"
    assert ("forward", "passed", "") in badge.checks


def test_other_forms_are_read_leniently(tmp_path):
    rows = [{"name": "forward", "outcome": "fail", "reason": "off"}, 3, {"name": "dtypes"}]
    content = [{"operator": "tile", "checks": rows}, {"x": 1}, 7]
    (tmp_path / "a.json").write_text(json.dumps(content))
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.json").write_text(
        json.dumps({"subject": "gelu", "provider": "Acme_Gelu 1.2", "checks": []})
    )
    badges = read_badges(tmp_path)
    assert badges["", "tile"] == Badge((("forward", "failed", "off"), ("dtypes", "unknown", "")))
    assert badges["", "tile"].state == "failed"
    assert badges["", "tile"].text == "1 failed, 1 unknown"
    assert badges["acme-gelu", "gelu"].state == "unknown"
