"""One web page that shows what a bag-of-words model sees, without a server."""

from pbow.explorer.page import write_explorer

__all__ = ["write_explorer"]
