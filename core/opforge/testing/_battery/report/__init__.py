"""What a battery found, as a table for people and as XML for machines."""
