"""The conformance battery: checks that any operator, layer or plugin must pass, and its report."""
