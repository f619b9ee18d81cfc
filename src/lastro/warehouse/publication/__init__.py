"""What others read: the published copy, questions on it, tables out of it."""
