"""Projects of plugins, made from templates and kept up to date with them.

The templates lie in ``templates``: ``common`` is in every project, then come the folders of each of
its things, and ``layer`` where it has one.
"""

from .creating import create as create
from .project import KINDS as KINDS
from .project import Project as Project
from .thing import Thing as Thing
from .updating import Change as Change
from .updating import add as add
from .updating import update as update

__all__ = ["KINDS", "Change", "Project", "Thing", "add", "create", "update"]
