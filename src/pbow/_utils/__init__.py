"""The lowest layer: small things that every subpackage needs, and nothing of pbow's."""
