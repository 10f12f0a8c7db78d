"""From an operator's name to its call, and the tape that remembers it."""
