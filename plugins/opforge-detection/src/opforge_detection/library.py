"""The extension module with the functions of this plugin's native operators."""

from opforge.plugin_api import native

LIBRARY = native.load(f"{__package__}._native")
