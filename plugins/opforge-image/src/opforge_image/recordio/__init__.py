"""Record files, in MXNet's format both ways: what `opforge.recordio` gives.

`MXRecordIO` reads and writes one record after the other, `MXIndexedRecordIO` by key; `pack` and
`unpack` put a label in front of a record's bytes, `pack_img` and `unpack_img` encode and decode the
image too.
"""

from .framing import DamagedRecordError as DamagedRecordError
from .header import IRHeader as IRHeader
from .header import pack as pack
from .header import unpack as unpack
from .images import pack_img as pack_img
from .images import unpack_img as unpack_img
from .indexed import MXIndexedRecordIO as MXIndexedRecordIO
from .sequential import MXRecordIO as MXRecordIO

__all__ = [
    "DamagedRecordError",
    "IRHeader",
    "MXIndexedRecordIO",
    "MXRecordIO",
    "pack",
    "pack_img",
    "unpack",
    "unpack_img",
]
