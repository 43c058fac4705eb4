"""Tests of the audit, a package, so that their names need not differ from those of the book's tests."""
