"""Reports of the battery: tables for people and XML for machines."""
