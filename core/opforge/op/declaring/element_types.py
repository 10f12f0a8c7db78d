"""Element types of operators: what a declaration accepts, and the types that result.

`check_types` is the only check of declared types. It runs when a call is planned or a graph is
inferred, and composed operators run it for each new combination of types.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...base.dtypes import CODES, NAMES, code_of, dtype_of, expanded
from ...base.errors import DTypeError
from .errors import OperatorDTypeError, origin

__all__ = [
    "ANY",
    "TYPE_FIELDS",
    "OutputRule",
    "accepted_types",
    "check_declared_types",
    "check_types",
    "default_types",
    "type_masks",
    "type_rows",
]

#: Declared types of operators that accept every type.
ANY = ("any",)
#: Fields of a declaration that are about element types.
TYPE_FIELDS = ("dtypes", "argument_dtypes", "output_dtypes")
#: Rule for the type of an output; see `OperatorProp.output_dtypes`.
OutputRule = str | Sequence[str] | Mapping[str, str]


def accepted_types(prop: Any, name: str) -> tuple[str, ...]:
    """Return the names of the types that an input, or an auxiliary state, may have.

    Parameters
    ----------
    prop : OperatorProp
        The declaration, or its class.
    name : str
        Name of the input.
    """
    return expanded(tuple(prop.argument_dtypes.get(name, prop.dtypes)), prop.numpy_types_only)


def _accepts_all(prop: Any) -> bool:
    return prop.dtypes == ANY and not prop.argument_dtypes and not prop.numpy_types_only


def check_types(prop: Any, entry: Any, names: Iterable[str], codes: Iterable[int]) -> None:
    """Reject inputs of types that the operator does not accept.

    Parameters
    ----------
    prop : OperatorProp
    entry : Entry or str
        Operator for the error message.
    names : iterable of str
        Names of the inputs.
    codes : iterable of int
        Their type codes, -1 if unknown.

    Raises
    ------
    OperatorDTypeError
        An input has another type; the error names those that the operator accepts.
    """
    if _accepts_all(prop):
        return
    for name, code in zip(names, codes, strict=False):
        accepted = accepted_types(prop, name)
        if code < 0 or NAMES[code] in accepted:
            continue
        target = "float32" if "float32" in accepted else accepted[0]
        raise OperatorDTypeError(
            f"{origin(entry)}: input {name!r} has dtype {NAMES[code]}; expected "
            f"{_alternatives(accepted)}. Convert it with {name}.astype({target!r})",
            operator=str(getattr(entry, "name", entry)),
            provider=str(getattr(entry, "provider_text", "")),
        )


def type_masks(prop: Any, names: Iterable[str]) -> tuple[int, ...] | None:
    """Return a bit for each accepted type code of each input; None if all accept every type."""
    if _accepts_all(prop):
        return None
    return tuple([sum(1 << CODES[t] for t in accepted_types(prop, name)) for name in names])


def default_types(
    prop: Any, in_type: Sequence[Any], completes: bool = True
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the types of inputs, outputs and auxiliary states that follow from the declaration.

    Inputs without types of their own in `argument_dtypes` must have the same type, which unknown
    ones get.

    Parameters
    ----------
    prop : OperatorProp
    in_type : sequence of type or None
    completes : bool, default True
        Whether unknown inputs with types of their own get the common type too, if they accept it.

    Raises
    ------
    DTypeError
        Inputs that must have the same type have different ones.
    """
    types, names = list(in_type), prop.list_arguments()
    own = prop.argument_dtypes
    shared = [i for i, name in enumerate(names[: len(types)]) if name not in own]
    first = next((i for i in shared if types[i] is not None), None)
    common = None if first is None else types[first]
    for position, (name, dtype) in enumerate(zip(names, types, strict=False)):
        if name in own:
            if completes and dtype is None and common is not None:
                types[position] = _closest(accepted_types(prop, name), common)
        elif dtype is None:
            types[position] = common
        elif dtype is not common and code_of(dtype) != code_of(common):
            assert first is not None
            wanted = NAMES[code_of(common)]
            raise DTypeError(
                f"operator {prop.name!r}: input {name!r} has dtype {NAMES[code_of(dtype)]}; "
                f"expected {wanted} because {names[first]!r} has it. "
                f"Convert it with {name}.astype({wanted!r})"
            )
    leader = common if shared or not types else types[0]
    known = dict(zip(names, types, strict=False))
    outputs = [_output_type(prop, name, leader, known) for name in prop.list_outputs()]
    return types, outputs, [leader] * len(prop.list_auxiliary_states())


def _closest(accepted: tuple[str, ...], common: Any) -> Any:
    return common if NAMES[code_of(common)] in accepted else dtype_of(CODES[accepted[0]])


def _output_type(prop: Any, name: str, common: Any, known: Mapping[str, Any]) -> Any:
    """Return the type of an output by its rule; that of the inputs without one."""
    rule = prop.output_dtypes.get(name, ())
    if isinstance(rule, Mapping):
        if common is None:
            return None
        accepts = NAMES[code_of(common)]
        rule = next((to for given, to in rule.items() if accepts in expanded((given,))), ())
    for word in (rule,) if isinstance(rule, str) else rule:
        found = known[word] if word in known else getattr(prop, word, None)
        if word in CODES:
            found = dtype_of(CODES[word])
        if found is not None:
            return found
    return common


def check_declared_types(where: str, cls: Any) -> None:
    """Reject declared types and rules with words that do not exist.

    Parameters
    ----------
    where : str
        Start of the error message.
    cls : type
        The declaration.
    """
    for field, words in (("dtypes", cls.dtypes), *cls.argument_dtypes.items()):
        if isinstance(words, str) or not words:
            raise TypeError(
                f"{where}: the types of {field!r} are {words!r}, expected a tuple of names; "
                "write ('floating',)"
            )
        try:
            expanded(tuple(words))
        except DTypeError as error:
            raise TypeError(f"{where}: in the types of {field!r}, {error}") from None
    for output, rule in cls.output_dtypes.items():
        for word in _words(rule):
            if word in CODES or word in cls.attributes or word in cls.arguments:
                continue
            raise TypeError(
                f"{where}: the type of output {output!r} is {rule!r}, but {word!r} is not an "
                "element type, an attribute or an input"
            )


def _words(rule: OutputRule) -> Sequence[str]:
    if isinstance(rule, Mapping):
        return [*rule.values()]
    return (rule,) if isinstance(rule, str) else rule


def type_rows(cls: Any) -> list[dict[str, str]]:
    """Return name, role and types of all inputs, auxiliary states and outputs, for display.

    Parameters
    ----------
    cls : type
        A declaration.

    Examples
    --------
    >>> from opforge.std.selecting import OneHot
    >>> for row in type_rows(OneHot):
    ...     print(row["name"], "-", row["types"])
    indices - any
    output - dtype, by default float32
    """
    names = [*cls.arguments, *cls.auxiliary_states]
    shared = [name for name in cls.arguments if name not in cls.argument_dtypes]
    rows = []
    for name in names:
        text = _join_names(accepted_types(cls, name))
        if name in shared[1:]:
            text = f"that of {shared[0]}"
        role = "input" if name in cls.arguments else "auxiliary state"
        rows.append({"name": name, "role": role, "types": text})
    leader = next(iter(shared or names), "")
    for name in [*dict.fromkeys((*cls.outputs, *cls.output_dtypes))]:
        rule = cls.output_dtypes.get(name, ())
        rows.append({"name": name, "role": "output", "types": _rule_text(cls, rule, leader)})
    return rows


def _rule_text(cls: Any, rule: OutputRule, leader: str) -> str:
    """Return a description of the type of an output."""
    same = f"that of {leader}" if leader else "float32"
    if isinstance(rule, Mapping):
        parts = [f"{_word_text(cls, to, same)} for {given}" for given, to in rule.items()]
        return f"{', '.join(parts)}; else {same}"
    words = [_word_text(cls, word, same) for word in _words(rule)]
    if not words:
        return same
    return words[0] if len(words) == 1 else f"{_words(rule)[0]}, by default {words[-1]}"


def _word_text(cls: Any, word: str, same: str) -> str:
    if word in CODES:
        return word
    if word not in cls.attributes:
        return f"that of {word}"
    attribute = cls.attributes[word]
    if attribute.required:
        return word
    default = attribute.default
    return f"{word}, by default {same if default is None else NAMES[code_of(default)]}"


def _join_names(accepted: tuple[str, ...]) -> str:
    return "any" if accepted == NAMES else ", ".join(accepted)


def _alternatives(accepted: tuple[str, ...]) -> str:
    """Return the accepted types for a message."""
    *others, last = accepted
    return f"{', '.join(others)} or {last}" if others else last
