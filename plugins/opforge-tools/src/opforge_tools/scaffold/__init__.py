"""Plugin projects, created from templates and updated with them.

The templates are in ``templates``: ``common`` for every project, then the folders of each of its
contributions, and ``layer`` if it has one.
"""

from .contribution import Contribution as Contribution
from .creating import create as create
from .project import KINDS as KINDS
from .project import Project as Project
from .updating import Change as Change
from .updating import add as add
from .updating import update as update

__all__ = ["KINDS", "Change", "Contribution", "Project", "add", "create", "update"]
