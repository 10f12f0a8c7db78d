"""Reports as JUnit XML for CI: one suite per report, one case per check."""

from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from .outcome import Outcome
from .report import Report

__all__ = ["junit_text", "write_junit"]


def junit_text(reports: Iterable[Report]) -> str:
    """Return the XML text.

    Examples
    --------
    >>> from opforge.testing import check_op
    >>> junit_text([check_op("tanh")]).startswith("<testsuites>")
    True
    """
    root = ElementTree.Element("testsuites")
    for report in reports:
        root.append(_suite(report))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def write_junit(reports: Iterable[Report], path: "str | Path") -> None:
    """Write the XML to a file; create missing parent folders."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    header = '<?xml version="1.0" encoding="utf-8"?>\n'
    target.write_text(f"{header}{junit_text(reports)}\n", encoding="utf-8")


def _suite(report: Report) -> ElementTree.Element:
    outcomes = [*report.outcomes]
    if report.too_few:
        text = f"{report.ran} checks ran; at least {report.minimum} are required"
        outcomes.append(Outcome("enough checks", "failed", message=text))
    counted = {
        "tests": len(outcomes),
        "failures": sum(outcome.status == "failed" for outcome in outcomes),
        "skipped": sum(outcome.status in _SKIPPED for outcome in outcomes),
        "time": f"{sum(outcome.seconds for outcome in outcomes):.3f}",
    }
    suite = ElementTree.Element("testsuite", name=f"{report.kind} {report.subject}")
    suite.attrib.update({key: str(value) for key, value in counted.items()})
    for outcome in outcomes:
        suite.append(_case(report, outcome))
    return suite


#: JUnit has no expected failures; pytest also writes them as skipped.
_SKIPPED = ("skipped", "expected failure")


def _case(report: Report, outcome: Outcome) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=f"{report.provider.partition(' ')[0] or 'program'}.{report.subject}",
        name=outcome.check,
        time=f"{outcome.seconds:.3f}",
    )
    if outcome.status == "failed":
        first = outcome.message.partition("\n")[0]
        failure = ElementTree.SubElement(case, "failure", message=_printable(first))
        failure.text = _printable(f"{outcome.message}\n{outcome.where}".strip())
    elif outcome.status in _SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_printable(outcome.message))
    elif outcome.status == "warned":
        ElementTree.SubElement(case, "system-out").text = _printable(outcome.message)
    return case


def _printable(text: str) -> str:
    """Return `text` without the control characters that XML does not allow."""
    return "".join(c if c in "\n\t" or c >= " " else "\N{REPLACEMENT CHARACTER}" for c in text)
