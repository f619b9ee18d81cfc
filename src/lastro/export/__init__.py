"""Writers of report values: workbooks (the only openpyxl) and aligned text."""
