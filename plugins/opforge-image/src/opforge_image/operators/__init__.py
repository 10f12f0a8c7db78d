"""Operators of this plugin."""
