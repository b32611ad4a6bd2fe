"""The rows of the table: what is installed, what is broken, and what must come of it."""
