"""Documentation is present: what `help`, the command line and the reference would show."""

from ....op.declaration import OperatorProp
from ..subject import OperatorSubject

__all__ = ["check_documentation"]


def check_documentation(subject: OperatorSubject) -> int:
    """Check that operator and attributes are documented, and only inputs that exist."""
    prop_class = subject.prop_class
    name = f"{prop_class.__module__}.{prop_class.__qualname__}"
    text = (prop_class.__dict__.get("__doc__") or "").strip()
    assert text, f"{name} has no docstring; its first line is shown by `opforge ops`"
    if not issubclass(prop_class, OperatorProp):
        return 1
    silent = [key for key, attribute in prop_class.attributes.items() if not attribute.doc.strip()]
    assert not silent, f"{name}: no documentation of {', '.join(silent)}; write Attribute(doc=...)"
    sample = subject.samples[0]
    prop = subject.prop(sample)
    inputs = {*prop_class.arguments, *prop.list_arguments(), *prop.list_auxiliary_states()}
    unknown = sorted(set(prop_class.argument_docs) - inputs)
    assert not unknown, f"{name}: argument_docs describes {', '.join(unknown)}, which is no input"
    return 1 + len(prop_class.attributes)
