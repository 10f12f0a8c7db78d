"""Sources of third-party plugins."""

PROJECT = """\
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "{name}"
version = "{version}"
[project.entry-points.opforge]
{short} = "{module}"
[project.entry-points."opforge.ops"]
{operator} = "{module}:Operator"
[tool.setuptools]
py-modules = ["{module}"]
"""

MODULE = '''\
"""A third-party plugin."""
from opforge.plugin_api import OperatorProp, hookimpl
{first}

class Operator(OperatorProp):
    """{doc}"""

    name = "{operator}"

    def compose(self, F, data):
        return data * 3


@hookimpl
def opforge_operators():
    return [Operator]
'''
