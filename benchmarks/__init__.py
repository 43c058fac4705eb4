"""Timings of the helpers and the audit beside the obvious, or the best-known, way to the same result."""
