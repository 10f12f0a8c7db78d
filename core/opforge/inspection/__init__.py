"""Installed plugins, their problems and pending changes, as plain rows."""
