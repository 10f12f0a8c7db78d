"""Batteries for everything that a project, a distribution or a file provides."""
