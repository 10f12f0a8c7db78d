"""Reader of pickles that builds data only.

Python's unpickler calls the objects that a file names. This one interprets the instructions that
saved states consist of: a name stands for a function of `pickled_types`, and attributes belong to
`Unfinished` objects, which check them. Invariants: no object of the program is called or changed,
and memory is bounded by the file's size.
"""

import pickle
import pickletools
from collections.abc import Callable
from typing import Any

from ..base.errors import OpforgeError

__all__ = ["Allowance", "Function", "StatesError", "Unfinished", "read_data"]

#: Limits of a file: instructions, and containers within containers.
_MAX_INSTRUCTIONS = 4_000_000
_MAX_DEPTH = 50


class StatesError(OpforgeError, pickle.UnpicklingError):
    """Raised for files that are damaged or contain other data than optimizer states."""


class Allowance:
    """Number of bytes that the arrays of a file may take in total.

    Parameters
    ----------
    nbytes : int
        Size of the file.
    """

    def __init__(self, nbytes: int) -> None:
        self._left = self._nbytes = nbytes

    def take(self, nbytes: int) -> None:
        """Count the bytes of an array.

        Raises
        ------
        StatesError
            The arrays take more bytes than the file.
        """
        self._left -= nbytes
        if self._left < 0:
            raise StatesError(
                f"the saved states are damaged: their arrays take more than the {self._nbytes} "
                "bytes of the file. Save them again"
            )


class Unfinished:
    """Object whose attributes follow in the file."""

    def build(self, state: Any) -> None:
        """Set the attributes, which a file may do once."""
        raise NotImplementedError

    def result(self, finished: Callable[[Any], Any]) -> Any:
        """Return the object; `finished` returns that of data which it refers to."""
        raise NotImplementedError


class Function:
    """Function that a name in a file stands for.

    Parameters
    ----------
    call : callable
        Receives the arguments in the file.
    """

    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call


def read_data(content: bytes, function_of: Callable[[str, str], Function]) -> Any:
    """Return the data in a pickle.

    Parameters
    ----------
    content : bytes
    function_of : callable
        Returns the function for a module and a name, or raises `StatesError`.

    Raises
    ------
    StatesError
        The pickle contains other objects or instructions, or is damaged.

    Examples
    --------
    >>> import pickle
    >>> read_data(pickle.dumps({0: (None, 1.5)}), lambda module, name: None)
    {0: (None, 1.5)}
    """
    try:
        return _Finisher().finished(_Interpreter(function_of).run(content), 0)
    except OpforgeError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
        raise StatesError(
            f"the saved states are damaged, or are not a pickle ({type(error).__name__}: "
            f"{error!s:.80}). Save them again"
        ) from error


class _Finisher:
    """Replaces unfinished objects; each object once, so that shared ones stay shared."""

    def __init__(self) -> None:
        self._done: dict[int, Any] = {}

    def finished(self, value: Any, depth: int) -> Any:
        """Return `value` with the results of unfinished objects."""
        if isinstance(value, Function):
            raise StatesError("the saved states are damaged: a name is used as a value")
        if not isinstance(value, list | tuple | dict | Unfinished):
            return value
        if id(value) not in self._done:
            if depth > _MAX_DEPTH:
                raise StatesError("the saved states are damaged: too many nested containers")
            self._done[id(value)] = self._result(value, depth + 1)
        return self._done[id(value)]

    def _result(self, value: Any, depth: int) -> Any:
        if isinstance(value, Unfinished):
            return value.result(lambda part: self.finished(part, depth))
        if isinstance(value, dict):
            return {key: self.finished(item, depth) for key, item in value.items()}
        return type(value)([self.finished(item, depth) for item in value])


class _Interpreter:
    """Stack, marks and memo of one file."""

    def __init__(self, function_of: Callable[[str, str], Function]) -> None:
        self._function_of = function_of
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[Any, Any] = {}

    def run(self, content: bytes) -> Any:
        """Run the instructions and return the last object."""
        push = self._stack.append
        for count, (instruction, argument, _) in enumerate(pickletools.genops(content)):
            name = instruction.name
            if name in _VALUES:
                push(argument)
            elif name in _CONSTANTS:
                push(_CONSTANTS[name])
            elif name in _TUPLES:
                push(tuple(self._pop_last(_TUPLES[name])))
            elif name not in _IGNORED:
                if name not in _METHODS:
                    raise StatesError(f"the saved states contain the instruction {name} of pickle")
                _METHODS[name](self, argument)
            if count > _MAX_INSTRUCTIONS:
                raise StatesError(
                    f"the saved states have more than {_MAX_INSTRUCTIONS} instructions of pickle"
                )
        (result,) = self._stack
        return result

    def _pop_last(self, count: int) -> list[Any]:
        start = len(self._stack) - count
        if start < (self._marks[-1] if self._marks else 0):
            raise IndexError("an instruction has too few operands")
        items = self._stack[start:]
        del self._stack[start:]
        return items

    def _pop(self) -> Any:
        return self._pop_last(1)[0]

    def _pop_marked(self) -> list[Any]:
        items = self._pop_last(len(self._stack) - self._marks[-1])
        self._marks.pop()
        return items

    # -- instructions -------------------------------------------------------------------------

    def _mark(self, _: Any) -> None:
        self._marks.append(len(self._stack))

    def _pop_one(self, _: Any) -> None:
        self._pop()

    def _pop_mark(self, _: Any) -> None:
        self._pop_marked()

    def _memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def _put(self, argument: Any) -> None:
        self._memo[argument] = self._stack[-1]

    def _get(self, argument: Any) -> None:
        self._stack.append(self._memo[argument])

    def _new_list(self, _: Any) -> None:
        self._stack.append([])

    def _new_dict(self, _: Any) -> None:
        self._stack.append({})

    def _tuple(self, _: Any) -> None:
        self._stack.append(tuple(self._pop_marked()))

    def _list(self, _: Any) -> None:
        self._stack.append(self._pop_marked())

    def _dict(self, _: Any) -> None:
        items = self._pop_marked()
        self._stack.append({})
        self._set_items(items)

    def _append(self, _: Any) -> None:
        self._extend([self._pop()])

    def _appends(self, _: Any) -> None:
        self._extend(self._pop_marked())

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise TypeError(f"items are appended to a {type(target).__name__}")
        target.extend(items)

    def _set_item(self, _: Any) -> None:
        self._set_items(self._pop_last(2))

    def _set_marked(self, _: Any) -> None:
        self._set_items(self._pop_marked())

    def _set_items(self, items: list[Any]) -> None:
        target = getattr(self._stack[-1], "entries", self._stack[-1])
        if type(target) is not dict:
            raise TypeError(f"items are set in a {type(target).__name__}")
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not _is_key(key):
                raise TypeError(f"a {type(key).__name__} is used as a key")
            target[key] = value

    def _name(self, argument: str) -> None:
        module, name = argument.split(" ", 1)
        self._stack.append(self._function_of(module, name))

    def _stacked_name(self, _: Any) -> None:
        module, name = self._pop_last(2)
        if type(module) is not str or type(name) is not str:
            raise TypeError("a name is not text")
        self._stack.append(self._function_of(module, name))

    def _call(self, _: Any) -> None:
        function, arguments = self._pop_last(2)
        if not isinstance(function, Function) or type(arguments) is not tuple:
            raise TypeError(f"a {type(function).__name__} is called")
        self._stack.append(function.call(*arguments))

    def _build(self, _: Any) -> None:
        state = self._pop()
        target = self._stack[-1]
        if not isinstance(target, Unfinished):
            raise TypeError("attributes are set on an object that has none")
        target.build(state)


def _is_key(key: Any) -> bool:
    """Return whether data can be a key; tuples are flat, because nested ones may hash slowly."""
    parts = key if type(key) is tuple else (key,)
    return all(part is None or type(part) in (str, int, float, bool) for part in parts)


_IGNORED = ("PROTO", "FRAME", "STOP")
_VALUES = frozenset(
    [
        "INT",
        "BININT",
        "BININT1",
        "BININT2",
        "LONG",
        "LONG1",
        "LONG4",
        "FLOAT",
        "BINFLOAT",
        "STRING",
        "BINSTRING",
        "SHORT_BINSTRING",
        "UNICODE",
        "BINUNICODE",
        "SHORT_BINUNICODE",
        "BINUNICODE8",
        "BINBYTES",
        "SHORT_BINBYTES",
        "BINBYTES8",
        "BYTEARRAY8",
    ]
)
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_METHODS: dict[str, Callable[[_Interpreter, Any], None]] = {
    "MARK": _Interpreter._mark,
    "POP": _Interpreter._pop_one,
    "POP_MARK": _Interpreter._pop_mark,
    "MEMOIZE": _Interpreter._memoize,
    "EMPTY_LIST": _Interpreter._new_list,
    "EMPTY_DICT": _Interpreter._new_dict,
    "TUPLE": _Interpreter._tuple,
    "LIST": _Interpreter._list,
    "DICT": _Interpreter._dict,
    "APPEND": _Interpreter._append,
    "APPENDS": _Interpreter._appends,
    "SETITEM": _Interpreter._set_item,
    "SETITEMS": _Interpreter._set_marked,
    "GLOBAL": _Interpreter._name,
    "STACK_GLOBAL": _Interpreter._stacked_name,
    "REDUCE": _Interpreter._call,
    "NEWOBJ": _Interpreter._call,
    "BUILD": _Interpreter._build,
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _Interpreter._put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Interpreter._get),
}
