import json

from opforge_tools.reference.badges import Badge, badge_of, read_badges

from opforge.plugin import Provider
from opforge.testing import check_op


def test_badges_are_read_from_check_reports(tmp_path):
    report = check_op("tanh", only="inference|forward")
    content = {"target": "opforge", "reports": [report.as_dict()]}
    (tmp_path / "opforge.json").write_text(json.dumps(content))
    ((key, badge),) = read_badges(tmp_path).items()
    assert key == ("opforge", "operator", "tanh")
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
    assert badges["", "", "tile"] == Badge(
        (("forward", "failed", "off"), ("dtypes", "unknown", ""))
    )
    assert badges["", "", "tile"].state == "failed"
    assert badges["", "", "tile"].text == "1 failed, 1 unknown"
    assert badges["acme-gelu", "", "gelu"].state == "unknown"


def test_a_badge_is_of_one_kind_and_version():
    operator, layer, other = (Badge((("forward", text, ""),), "1.2") for text in "abc")
    badges = {("acme", "operator", "Act"): operator, ("acme", "layer", "Act"): layer}
    badges["acme", "", "gelu"] = other
    acme = Provider("Acme", "1.2")
    assert badge_of(badges, acme, "operator", "Act") is operator
    assert badge_of(badges, acme, "layer", "Act") is layer
    assert badge_of(badges, acme, "layer", "gelu") is other
    assert badge_of(badges, Provider("Acme", "1.3"), "operator", "Act") is None
