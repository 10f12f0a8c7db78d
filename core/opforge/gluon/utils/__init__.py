"""Public interface of MXNet's `gluon.utils`: batch splitting, gradient clipping, downloads."""

from ...base.module_aliases import add_aliases as _add_aliases
from ..clipping import clip_global_norm as clip_global_norm
from ..downloading import _get_repo_url as _get_repo_url
from ..downloading import check_sha1 as check_sha1
from ..hooks import HookHandle as HookHandle
from ..repository import _get_repo_file_url as _get_repo_file_url
from ..repository import download as download
from ..repository import replace_file as replace_file
from ..splitting import split_and_load as split_and_load
from ..splitting import split_data as split_data

__all__ = [
    "HookHandle",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "split_and_load",
    "split_data",
]

_add_aliases(__name__)
