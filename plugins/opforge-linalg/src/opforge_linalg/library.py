"""Extension module with the native operators of this plugin."""

from opforge.plugin_api import native

LIBRARY = native.load(f"{__package__}._native")
