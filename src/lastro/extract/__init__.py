"""Read a company's listings completely, prove it, and keep the pages as received."""
