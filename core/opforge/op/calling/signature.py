"""Generation of the Python function of an operator, with its signature and documentation.

The function is generated as source code, so that a call has no overhead beyond Python's own
argument handling: its body is one call of `invoke`. help() shows text from the declaration.
"""

import inspect
import keyword
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...base.node_attributes import is_free, is_private
from ..declaring.attribute import UNSET, Attribute, unknown_attribute, warn_ignored
from ..declaring.custom import stringify
from ..declaring.errors import attribute_error
from .deprecation import warning_invoke
from .documentation import function_doc
from .scalar_inputs import converting_invoke

__all__ = ["make_function"]

Invoke = Callable[..., Any]
Attached = Callable[..., dict[str, str]]
#: Names of the parameters after inputs and attributes.
Last = tuple[str, ...]


def make_function(
    entry: Any,
    invoke: Invoke,
    handle: Any = None,
    module: str = "opforge.ndarray",
    symbolic: bool = False,
) -> Callable[..., Any]:
    """Return the function that calls an operator.

    Parameters
    ----------
    entry : Entry
        A registered `OperatorProp`.
    invoke : callable
        Called as ``invoke(handle, inputs, attribute values, out)``, or with ``name, attr`` instead
        of ``out`` if `symbolic`; a missing attribute is `UNSET`, a missing input None.
    handle : object, optional
        First argument of `invoke`. Default: `entry`.
    module : str
        ``__module__`` of the function.
    symbolic : bool
        Whether the function composes symbols, which have a name and attributes.

    Returns
    -------
    function
        Takes the inputs, then the attributes, by position or by name, then ``out`` and ``name``,
        or ``name``, ``attr`` and ``out``, which symbols ignore as in MXNet. Keywords that any node
        may have, such as ``__layout__``, are added to `attr` if `symbolic`, and ignored for arrays;
        ``lr_mult`` and similar ones are for symbols only. If the number of inputs varies, all
        positional arguments are inputs.

    Examples
    --------
    >>> from opforge.op.declaring.declaration import OperatorProp
    >>> from opforge.op.registry.registry import Entry
    >>> class Scale(OperatorProp):
    ...     name = "scale"
    ...     factor = Attribute(float, default=2.0)
    >>> f = make_function(Entry("scale", Scale), lambda handle, *call: call)
    >>> f("x", 3)
    (('x',), (3,), None)
    """
    prop_class = entry.prop_class
    if prop_class.deprecated_since:
        invoke = warning_invoke(entry, invoke)
    inputs, attributes = _inputs(prop_class), prop_class.attributes
    numbers = getattr(prop_class, "numbers", ())
    if numbers:
        invoke = converting_invoke(inputs, numbers, lambda: sys.modules[module].zeros_like, invoke)
    last = ("name", "attr", "out") if symbolic else ("out", "name")
    attached = _attribute_parser(entry, is_free if symbolic else is_private)
    if prop_class.variadic is not None:
        parts = _variadic_source(entry, inputs, attributes, last)
    elif all(_usable(name) for name in inputs):
        parts = _fixed_source(entry, inputs, attributes, last)
    else:
        return _dress(_by_keyword(entry, invoke, handle, last, attached), entry, module, None)
    source, parameters = parts
    scope = {
        "invoke": invoke,
        "handle": entry if handle is None else handle,
        "UNSET": UNSET,
        "attached": attached,
    }
    # The source contains only names, all of which are checked identifiers of the declaration.
    exec(compile(source, f"<function of operator {entry.name}>", "exec"), scope)
    return _dress(scope["function"], entry, module, inspect.Signature(parameters))


def _attribute_parser(entry: Any, allowed: Callable[[str], bool]) -> Attached:
    """Return a function that turns unknown keywords of a call into attributes of the node."""

    def attached(given: dict[str, Any], attr: dict[str, str] | None = None) -> dict[str, str]:
        unknown = [key for key in given if not allowed(key)]
        if unknown:
            prop_class = entry.prop_class
            if _is_ignored(prop_class, [given[key] for key in unknown]):
                warn_ignored(entry.name, unknown, _inputs(prop_class))
                return attached({key: given[key] for key in given if key not in unknown}, attr)
            error = unknown_attribute(
                entry.name, unknown, prop_class.attributes, _inputs(prop_class)
            )
            raise error if entry.kind == "std" else attribute_error(entry, error)
        return {**{key: stringify(value) for key, value in given.items()}, **(attr or {})}

    return attached


def _is_ignored(prop_class: Any, values: Iterable[Any]) -> bool:
    """Return whether unknown keywords are ignored, as in MXNet: the operator has no attributes.

    Arrays and symbols are not ignored; they are inputs with a misspelled name.
    """
    return not prop_class.attributes and not any(hasattr(value, "asnumpy") for value in values)


def _inputs(prop_class: Any) -> list[str]:
    """Return the names of the inputs of a call: arguments, then auxiliary states."""
    return [*prop_class.arguments, *prop_class.auxiliary_states]


def _usable(name: str) -> bool:
    return (
        name.isidentifier() and not keyword.iskeyword(name) and name not in {"out", "name", "attr"}
    )


def _fixed_source(
    entry: Any, inputs: Sequence[str], attributes: Mapping[str, Attribute], last: Last
) -> tuple[str, list[inspect.Parameter]]:
    """Return source and signature for a fixed number of inputs."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    named = [f"{name}=None" for name in inputs] + [f"{name}=UNSET" for name in attributes]
    source = _source(named, _tuple(inputs), _tuple(attributes), last)
    parameters = [inspect.Parameter(name, kind, default=None) for name in inputs]
    parameters += _attribute_parameters(kind, attributes)
    return source, [*parameters, *_last_parameters(kind, last)]


def _variadic_source(
    entry: Any, inputs: Sequence[str], attributes: Mapping[str, Attribute], last: Last
) -> tuple[str, list[inspect.Parameter]]:
    """Return source and signature for a variable number of inputs."""
    kind = inspect.Parameter.KEYWORD_ONLY
    rest, count = inputs[0], entry.prop_class.variadic
    named = [f"{name}=UNSET" for name in attributes]
    values = [f"len({rest})" if name == count else name for name in attributes]
    source = _source([f"*{rest}", *named], rest, _tuple(values), last)
    parameters = [inspect.Parameter(rest, inspect.Parameter.VAR_POSITIONAL)]
    parameters += _attribute_parameters(kind, attributes)
    return source, [*parameters, *_last_parameters(kind, last)]


def _source(parameters: Sequence[str], inputs: str, values: str, last: Last) -> str:
    taken = ", ".join([*parameters, *(f"{name}=None" for name in last), "**kwargs"])
    passed = ", ".join(_invoke_parameters(last))
    check = "attr = attached(kwargs, attr)" if "attr" in last else "attached(kwargs)"
    return (
        f"def function({taken}):\n"
        "    if kwargs:\n"
        f"        {check}\n"
        f"    return invoke(handle, {inputs}, {values}, {passed})\n"
    )


def _invoke_parameters(last: Last) -> Last:
    """Return the last parameters that `invoke` takes: arrays have no name, symbols no `out`."""
    return ("out",) if last[0] == "out" else last[:2]


def _tuple(names: Any) -> str:
    return "(" + "".join(f"{name}, " for name in names) + ")"


def _attribute_parameters(
    kind: Any, attributes: Mapping[str, Attribute]
) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, kind, default=attribute.default, annotation=attribute.annotation)
        for name, attribute in attributes.items()
    ]


def _last_parameters(kind: Any, last: Last) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, kind, default=None) for name in last]


def _by_keyword(
    entry: Any, invoke: Invoke, handle: Any, last: Last, attached: Attached
) -> Callable[..., Any]:
    """Return the function of an operator with an input, such as ``in``, that is a keyword."""
    inputs, attributes = _inputs(entry.prop_class), entry.prop_class.attributes
    target = entry if handle is None else handle
    order = [*inputs, *attributes]

    def function(*args: Any, **kwargs: Any) -> Any:
        ends = {key: kwargs.pop(key, None) for key in last}
        if len(args) > len(order):
            raise TypeError(f"{entry.name}() takes {len(order)} arguments, got {len(args)}")
        given = dict(zip(order, args, strict=False))
        for key in given.keys() & kwargs.keys():
            raise TypeError(f"{entry.name}() got two values for {key!r}")
        given.update(kwargs)
        arrays = tuple(given.pop(key, None) for key in inputs)
        values = tuple(given.pop(key, UNSET) for key in attributes)
        if given:
            ends["attr"] = attached(given, ends.get("attr"))
        return invoke(target, arrays, values, *(ends[key] for key in _invoke_parameters(last)))

    return function


def _dress(
    function: Any, entry: Any, module: str, signature: inspect.Signature | None
) -> Callable[..., Any]:
    """Set the function's name, documentation and signature."""
    function.__name__ = function.__qualname__ = entry.name
    function.__module__ = module
    function.__doc__ = function_doc(entry)
    if signature is not None:
        function.__signature__ = signature
    return function
