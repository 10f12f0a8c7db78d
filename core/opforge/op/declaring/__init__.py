"""What an operator says of itself: attributes, shapes and types, and the errors that name it."""
