"""Provably complete ETL and management reports over a Brazilian financial-management API."""
