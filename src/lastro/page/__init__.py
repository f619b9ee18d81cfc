"""The page to send: the cover of the workbook as PDF and HTML."""
