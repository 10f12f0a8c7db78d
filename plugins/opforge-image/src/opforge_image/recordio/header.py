"""Header of image records, `IRHeader`: label and identifier."""

import numbers
import struct
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import OpforgeError

__all__ = ["DamagedHeaderError", "IRHeader", "pack", "unpack"]

_FORMAT = struct.Struct("<IfQQ")
_LABEL = np.dtype("<f4")


class DamagedHeaderError(OpforgeError):
    """A record is shorter than its header or the labels that the header announces."""


class HEADER(NamedTuple):
    """Fields of MXNet's `IRHeader`: label and identifier of a record.

    Parameters
    ----------
    flag : int
        Number of labels after the header; 0: `label` is the only label.
    label : float or array of float
    id : int
    id2 : int
        Upper bits of the identifier, usually 0.
    """

    flag: int
    label: Any
    id: int
    id2: int


IRHeader = HEADER


def pack(header: Any, s: bytes) -> bytes:
    """Return a record of header and content.

    Parameters
    ----------
    header : IRHeader or tuple
        Its flag is set to the number of labels, or to 0 if its label is a number.
    s : bytes

    Raises
    ------
    OpforgeError
        A field of the header is not a number or is out of range.

    Examples
    --------
    >>> unpack(pack(IRHeader(0, [1, 2, 3], 2574, 0), b"content"))
    (HEADER(flag=3, label=array([1., 2., 3.], dtype=float32), id=2574, id2=0), b'content')
    """
    header = IRHeader(*header)
    labels = b""
    if isinstance(header.label, numbers.Number):
        header = header._replace(flag=0)
    else:
        array = np.asarray(header.label, _LABEL)
        header, labels = header._replace(flag=array.size, label=0), array.tobytes()
    try:
        return b"".join((_FORMAT.pack(*header), labels, s))
    except (struct.error, OverflowError) as error:
        raise OpforgeError(
            f"recordio.pack: got {header}; expected numbers, and id and id2 of 64 bits ({error})"
        ) from error


def unpack(s: bytes) -> tuple[HEADER, bytes]:
    """Return header and content of a record.

    Parameters
    ----------
    s : bytes
        As `MXRecordIO.read` returns it.

    Raises
    ------
    DamagedHeaderError
        `s` is too short for a header, or for the labels that the header announces.

    Examples
    --------
    >>> unpack(pack(IRHeader(0, 4.0, 7, 0), b"content"))
    (HEADER(flag=0, label=4.0, id=7, id2=0), b'content')
    """
    if len(s) < _FORMAT.size:
        raise DamagedHeaderError(
            f"recordio.unpack: got {len(s)} bytes; expected at least {_FORMAT.size}, a header"
        )
    header = IRHeader(*_FORMAT.unpack_from(s))
    begin = _FORMAT.size
    if not header.flag:
        return header, s[begin:]
    end = begin + _LABEL.itemsize * header.flag
    if end > len(s):
        raise DamagedHeaderError(
            f"recordio.unpack: the header of record {header.id} announces {header.flag} labels, "
            f"which need {end} bytes; got {len(s)}"
        )
    return header._replace(label=np.frombuffer(s, _LABEL, header.flag, begin)), s[end:]
