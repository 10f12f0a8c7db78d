"""Rows about installed plugins, their problems, and the effect of installing others."""
