"""Answers with a proof that a small program checks: see `checker` and docs/certificates.md."""
