"""Every column and every table once; DDL, comments, payload checks and the data dictionary derive from it."""
