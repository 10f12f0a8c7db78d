"""Record files in MXNet's format: implementation of `opforge.recordio`.

`MXRecordIO` reads and writes records in sequence, `MXIndexedRecordIO` by key. `pack` and `unpack`
add and remove the header with the label; `pack_img` and `unpack_img` also encode and decode the
image.
"""

from opforge.plugin_api import add_aliases as _add_aliases

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

_add_aliases(__name__)
