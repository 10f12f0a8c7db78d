"""Batteries for all that a project, a distribution or a file provides."""
