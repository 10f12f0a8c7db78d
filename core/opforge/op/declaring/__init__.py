"""Operator declarations: attributes, shapes and types, and the errors that name the operator."""
