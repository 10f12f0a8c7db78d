"""What is installed, what is wrong with it and what would change, as plain rows."""
