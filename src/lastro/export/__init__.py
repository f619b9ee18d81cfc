"""The writer of workbooks: the only openpyxl that writes."""
