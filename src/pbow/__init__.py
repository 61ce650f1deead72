"""Persistence bag-of-words: feature vectors from persistence diagrams."""

import lazy_loader as _lazy

# The names are those of `__init__.pyi`, where type checkers find them, too. Each is
# imported at its first use: a shell that completes a command waits for this module.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
