"""Read a company's listings completely, prove it, and keep the pages as received.

A function of it returns proved listings or raises; then nothing that it landed may replace what an earlier run stored.
"""
