"""The rows of a sweep as files and tables: Parquet and CSV by the chunk, a workbook of the best, a terminal's page."""
