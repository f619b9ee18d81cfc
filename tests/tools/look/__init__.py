"""Looking at what people open: a workbook as LibreOffice prints it."""
