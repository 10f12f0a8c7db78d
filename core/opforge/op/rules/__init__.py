"""Rules: how parts of opforge and plugins treat an operator, by operator and kind of rule.

A distribution adds a rule for any operator by an entry point in the group ``opforge.rules``, named
``KIND:OPERATOR``; a program adds one by `register`. The kinds that opforge itself asks for are in
`kinds`; the name of an exporter is a kind, too, so that a translation can be published with its
operator, with the exporter or by itself.
"""

from .table import find as find
from .table import names as names
from .table import providers as providers
from .table import register as register
from .table import supported as supported
