"""``python -m pbow`` is the command ``pbow``."""

from pbow.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main(prog_name="pbow")
