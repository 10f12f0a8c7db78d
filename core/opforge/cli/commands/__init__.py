"""Commands of ``opforge``: one module each, with the name of the command."""
