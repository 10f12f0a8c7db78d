"""Commands of ``opforge``, each in the module of its name; opforge finds them in metadata."""
