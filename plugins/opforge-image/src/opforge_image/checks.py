"""What ``opforge check`` is told of the operators: calls to try and references."""

import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

_PICTURE = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
#: The same as the bytes of a file without loss, and in a file, which is there as long as this is.
_BYTES = cv2.imencode(".png", _PICTURE)[1]
_FOLDER = tempfile.TemporaryDirectory(prefix="opforge-image-")
_FILE = Path(_FOLDER.name, "picture.png")
_FILE.write_bytes(_BYTES.tobytes())


def picture_of(*inputs: Any, flag: int = 1, to_rgb: bool = True, **ignored: Any) -> Any:
    """Return the picture."""
    if not flag:
        return cv2.cvtColor(_PICTURE, cv2.COLOR_BGR2GRAY)[:, :, None]
    return _PICTURE[:, :, ::-1] if to_rgb else _PICTURE


def _samples(inputs: list[Any], **attributes: Any) -> list[dict[str, Any]]:
    return [
        {"inputs": inputs, "attributes": {**attributes, **more}}
        for more in ({}, {"flag": 0}, {"to_rgb": False})
    ]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_cvimdecode": {"reference": picture_of, "samples": _samples([_BYTES])},
    "_cvimread": {"reference": picture_of, "samples": _samples([], filename=str(_FILE))},
}
