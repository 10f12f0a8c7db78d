from xml.etree import ElementTree

from opforge_tools.testing._battery.report.junit import junit_text, write_junit

from opforge.testing import Outcome, Report

OUTCOMES = (
    Outcome("forward", "passed", 4, seconds=0.25),
    Outcome("gradients", "failed", message="first line\nsecond \x1b line"),
    Outcome("slices", "skipped", message="no rows"),
    Outcome("threads", "expected failure", message="issue 7"),
)
REPORT = Report("gelu", "operator", "acme-gelu 1.0", OUTCOMES)


def test_cases():
    (suite,) = ElementTree.fromstring(junit_text([REPORT]))
    counts = {key: suite.get(key) for key in ("name", "tests", "failures", "skipped", "time")}
    assert counts == {
        "name": "operator gelu",
        "tests": "4",
        "failures": "1",
        "skipped": "2",
        "time": "0.250",
    }
    forward, gradients, slices, threads = suite
    assert (forward.get("classname"), forward.get("name")) == ("acme-gelu.gelu", "forward")
    assert gradients.find("failure").get("message") == "first line"
    assert "second" in gradients.find("failure").text
    assert slices.find("skipped").get("message") == "no rows"
    assert threads.find("skipped").get("message") == "issue 7"


def test_too_few_checks_are_a_failed_case():
    (suite,) = ElementTree.fromstring(junit_text([Report("gelu", "operator", "", (), 8)]))
    assert suite[0].find("failure").get("message") == "0 checks ran; at least 8 are required"


def test_file(tmp_path):
    target = tmp_path / "results" / "battery.xml"
    write_junit([REPORT], target)
    assert ElementTree.parse(target).getroot().tag == "testsuites"
