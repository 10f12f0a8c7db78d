"""Conformance battery: checks that every operator, layer or plugin must pass, and their report."""
