"""Checks of the documentation and its examples, which `help` and the reference show."""

from opforge.op.declaring.declaration import OperatorProp

from ...subjects.subject import OperatorSubject
from ..check import NotApplicable
from ..examples import run_examples

__all__ = ["check_documentation", "check_examples"]


def check_documentation(subject: OperatorSubject) -> int:
    """Check that the operator and its attributes are documented, and no unknown inputs."""
    prop_class = subject.prop_class
    name = f"{prop_class.__module__}.{prop_class.__qualname__}"
    text = (prop_class.__dict__.get("__doc__") or "").strip()
    if not text:
        raise AssertionError(f"{name} has no docstring; its first line is shown by `opforge ops`")
    if not issubclass(prop_class, OperatorProp):
        return 1
    silent = [key for key, attribute in prop_class.attributes.items() if not attribute.doc.strip()]
    if silent:
        raise AssertionError(f"{name}: {', '.join(silent)} not documented; pass Attribute(doc=...)")
    inputs = {*prop_class.arguments, *prop_class.auxiliary_states}
    for sample in subject.samples[:1]:
        prop = subject.prop(sample)
        inputs |= {*prop.list_arguments(), *prop.list_auxiliary_states()}
    unknown = sorted(set(prop_class.argument_docs) - inputs)
    if unknown:
        raise AssertionError(
            f"{name}: argument_docs describes {', '.join(unknown)}, which is not an input"
        )
    return 1 + len(prop_class.attributes)


def check_examples(subject: OperatorSubject) -> int:
    """Run the examples of the docstring."""
    if issubclass(subject.prop_class, OperatorProp) and subject.entry.kind == "custom":
        raise NotApplicable("it is not installed, so its examples cannot call it")
    return run_examples(subject.prop_class)
