"""Commands of ``opforge``, one per module, registered through entry points."""
