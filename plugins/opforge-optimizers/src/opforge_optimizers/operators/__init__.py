"""Update operators, each an entry point of the group ``opforge.ops``."""
