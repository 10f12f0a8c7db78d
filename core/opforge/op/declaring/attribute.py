"""Typed attributes of operators: the type, default, range and documentation of one parameter.

An `Attribute` in the body of a declaration converts the argument of a caller, a Python value or the
string that MXNet would pass, to a value of its type. Errors have MXNet's wording and say what to
do. Imports `base` only and does not depend on arrays.
"""

import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, cast

import numpy as np

from ...base.errors import AttributeValueError
from ...base.name_hints import argument_hint
from ...base.spelling import close_names
from .values import KINDS, DType, Floats, Kind, OptionalInts, Shape

__all__ = [
    "REQUIRED",
    "UNSET",
    "Attribute",
    "DType",
    "Floats",
    "OptionalInts",
    "Shape",
    "unknown_attribute",
    "warn_ignored",
]

#: Largest number of inputs or outputs.
_MOST_COUNTED = 1 << 20


class _Mark:
    """Sentinel that is compared by identity and preserved by copying and pickling."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"<{self._name.lower()}>"

    def __reduce__(self) -> str:
        return self._name

    def __bool__(self) -> bool:
        return False


#: Default of an attribute without a default, which the caller must pass.
REQUIRED: Final = _Mark("REQUIRED")
#: Value of an argument that was not passed; parsing replaces it by the default.
UNSET: Final = _Mark("UNSET")


class Attribute:
    """Typed attribute of an operator, defined in the body of its declaration.

    Access on the class returns the attribute, on an instance of the declaration its parsed value.

    Parameters
    ----------
    type : type
        ``int``, ``float``, ``bool``, ``str``, or one of `Shape`, `Floats`, `OptionalInts`, `DType`.
    default : object, optional
        Value if the caller does not pass one; without a default the attribute is required. The
        default None implies `optional`.
    doc : str
        One-line description for signatures, errors, the command line and the reference.
    ge, gt, le, lt : number, optional
        Bounds; for tuples, of each element.
    choices : iterable, optional
        Allowed values.
    optional : bool, default False
        Whether ``None`` (and the string ``"None"``) is allowed.
    counts : bool, default False
        Whether it is a number of inputs or outputs. It is then at most 2**20, because a list of
        more names could exhaust the memory.

    Raises
    ------
    TypeError
        `type` is not one of the above, or `default` is not a valid value.

    Examples
    --------
    >>> axis = Attribute(int, default=-1, doc="Axis that sums to one.")
    >>> axis.parse("2", "softmax")
    2
    >>> Attribute(Shape).parse([2, 3], "tile")
    (2, 3)
    """

    __slots__ = ("bounds", "choices", "default", "doc", "kind", "name", "optional", "type")

    def __init__(
        self,
        type: type,
        default: Any = REQUIRED,
        *,
        doc: str = "",
        ge: float | None = None,
        gt: float | None = None,
        le: float | None = None,
        lt: float | None = None,
        choices: Iterable[Any] | None = None,
        optional: bool = False,
        counts: bool = False,
    ) -> None:
        if type not in KINDS:
            known = ", ".join(sorted(t.__name__ for t in KINDS))
            raise TypeError(f"attribute type {type!r} is unknown; expected one of {known}")
        self.type = type
        self.kind: Kind = KINDS[type]
        self.doc = doc
        self.bounds = (ge, gt, le, lt)
        if counts:
            self.limit_count()
        self.choices = None if choices is None else tuple(choices)
        self.optional = optional or default is None
        self.name = ""
        self.default: Any = REQUIRED
        if default is not REQUIRED:
            try:
                self.default = self.parse(default, "")
            except AttributeValueError as error:
                raise TypeError(f"default {default!r} is not valid: {error}") from None

    def limit_count(self) -> None:
        """Set the upper bound of a number of inputs or outputs, unless there is one."""
        ge, gt, le, lt = self.bounds
        if le is None and lt is None:
            self.bounds = (ge, gt, _MOST_COUNTED, lt)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object | None, owner: type | None = None) -> Any:
        # Not a data descriptor: a parsed value in the instance's __dict__ takes precedence.
        if instance is None:
            return self
        return None if self.default is REQUIRED else self.default

    @property
    def required(self) -> bool:
        """True if the caller must pass a value."""
        return self.default is REQUIRED

    @property
    def type_text(self) -> str:
        """The type in MXNet's wording, for instance ``"int"`` or ``"Shape or None"``."""
        if self.choices is not None:
            names = [None, *self.choices] if self.optional else list(self.choices)
            return "{" + ", ".join(repr(value) for value in names) + "}"
        if not self.optional:
            return self.kind.text
        return f"{self.kind.text.removesuffix('(tuple)')} or None"

    @property
    def range_text(self) -> str:
        """The bounds, for instance ``"0 <= p < 1"``; empty if there are none."""
        ge, gt, le, lt = self.bounds
        low = f"{ge} <= " if ge is not None else f"{gt} < " if gt is not None else ""
        high = f" <= {le}" if le is not None else f" < {lt}" if lt is not None else ""
        name = f"each of {self.name}" if self.kind.is_tuple else self.name or "value"
        if low and not high:
            return f"{name} {'>=' if ge is not None else '>'} {low.split()[0]}"
        return f"{low}{name}{high}" if low or high else ""

    @property
    def describe(self) -> str:
        """Type, default and bounds in MXNet's form, as in ``"int, optional, default='1'"``."""
        words = [self.type_text, "required" if self.required else "optional"]
        if not self.required:
            words.append(f"default={self._default_text()}")
        return ", ".join([*words, self.range_text] if self.range_text else words)

    @property
    def annotation(self) -> Any:
        """The annotation for type checkers: a class, a union, or a literal of the choices."""
        kind = self.kind.annotation
        if self.choices is not None and self.type in (int, str):
            kind = Literal[self.choices]
        return kind | None if self.optional else kind

    def parse(self, value: Any, operator: str) -> Any:
        """Convert `value` to this attribute's type.

        Parameters
        ----------
        value : object
            Argument of the caller: a value, its string, or `UNSET` for the default.
        operator : str
            Name of the operator, for the error.

        Raises
        ------
        AttributeValueError
            The value is missing, of another type, out of range or not among the choices.
        """
        if value is UNSET:
            if self.default is REQUIRED:
                raise AttributeValueError(self._missing(operator))
            return self.default
        if self.optional and (value is None or (isinstance(value, str) and value == "None")):
            return None
        try:
            parsed = self.kind.parse(value)
        except (TypeError, ValueError, OverflowError):
            raise AttributeValueError(self._wrong_type(value, operator)) from None
        if self.choices is not None and parsed not in self.choices:
            raise AttributeValueError(self._wrong_choice(value, operator))
        if self.bounds != (None, None, None, None):
            self._check_bounds(parsed, operator)
        return parsed

    def text(self, value: Any) -> str:
        """Return the string for saved models, which `parse` converts back to `value`."""
        return np.dtype(value).name if isinstance(value, type) else str(value)

    def _check_bounds(self, parsed: Any, operator: str) -> None:
        ge, gt, le, lt = self.bounds
        for element in parsed if isinstance(parsed, tuple) else (parsed,):
            if element is None:
                continue
            # Comparisons with nan are false, so nan is outside every range.
            inside = (
                (ge is None or element >= ge)
                and (gt is None or element > gt)
                and (le is None or element <= le)
                and (lt is None or element < lt)
            )
            if not inside:
                raise AttributeValueError(self._out_of_range(element, operator))

    def _default_text(self) -> str:
        if self.type is bool and self.default is not None:
            return "1" if self.default else "0"
        if self.type is float or self.default is None:
            return repr(self.default)
        return (
            repr(self.text(self.default)) if self.type in (int, str, DType) else str(self.default)
        )

    def _where(self, operator: str) -> str:
        return f', in operator {operator}(name="")' if operator else ""

    def _missing(self, operator: str) -> str:
        return (
            f"Required parameter {self.name} of {self.type_text} is not presented"
            f"{self._where(operator)}. Pass {self.name}=...{self._hint()}"
        )

    def _hint(self) -> str:
        """Return bounds and description for the end of an error message."""
        words = "; ".join(filter(None, (self.range_text, self.doc)))
        return f" ({words})" if words else ""

    def _wrong_type(self, value: Any, operator: str) -> str:
        if self.choices is not None:
            return self._wrong_choice(value, operator)
        return (
            f"Invalid Parameter format for {self.name} expect {self.type_text} but value='{value}'"
            f"{self._where(operator)}. Pass {self.kind.example(self.name)}{self._hint()}"
        )

    def _wrong_choice(self, value: Any, operator: str) -> str:
        choices = cast("tuple[Any, ...]", self.choices)
        close = close_names(str(value), map(str, choices), count=1)
        hint = f". Did you mean {self.name}={close[0]!r}?" if close else ""
        return (
            f"Invalid Input: '{value}', valid values are: {self.type_text}"
            f" for {self.name}{self._where(operator)}{hint}"
        )

    def _out_of_range(self, value: Any, operator: str) -> str:
        ge, gt, le, lt = self.bounds
        if ge is not None and le is not None:
            rule = f"exceed bound [{ge},{le}]"
        else:
            words = (
                ("should be greater equal to", ge),
                ("should be greater than", gt),
                ("should be smaller equal to", le),
                ("should be smaller than", lt),
            )
            rule = " and ".join(f"{word} {bound}" for word, bound in words if bound is not None)
        doc = f" ({self.doc})" if self.doc else ""
        return f"value {value} for Parameter {self.name} {rule}{self._where(operator)}{doc}"

    def __repr__(self) -> str:
        return f"Attribute({self.name}: {self.describe})"


def warn_ignored(operator: str, given: Iterable[str], inputs: Iterable[str]) -> None:
    """Warn about ignored keywords in a call of an operator that has no attributes."""
    names = ", ".join(map(repr, given))
    warnings.warn(
        f"operator '{operator}': unknown arguments {names} are ignored; expected only "
        f"the inputs {', '.join(inputs)}. Remove {names} from the call",
        stacklevel=4,
    )


def unknown_attribute(
    operator: str,
    given: Iterable[str],
    attributes: Mapping[str, Attribute],
    inputs: Iterable[str] = (),
) -> AttributeValueError:
    """Return the error for unknown keyword arguments of an operator.

    Parameters
    ----------
    operator : str
    given : iterable of str
        Unknown keywords of the call; the message names the first.
    attributes : mapping of str to Attribute
        Attributes of the operator.
    inputs : iterable of str
        Names of its array inputs, for suggestions.
    """
    name = next(iter(given))
    lines = [f"Cannot find argument '{name}', Possible Arguments:", "-" * 16]
    for key, attribute in attributes.items():
        lines.append(f"{key} : {attribute.describe}")
        if attribute.doc:
            lines.append(f"    {attribute.doc}")
    lines.append(f', in operator {operator}(name="")')
    hint = argument_hint(name, attributes)
    close = close_names(name, [*attributes, *inputs])
    if hint:
        lines.append(f"{name}{hint}")
    elif close:
        lines.append(f"Did you mean {' or '.join(close)}?")
    return AttributeValueError("\n".join(lines))
