"""``pbow`` and ``python -m pbow``: the command, and Ctrl-C before it has begun."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        # Here, because it takes a moment, in which Ctrl-C may come, too.
        from pbow.cli import main as command  # noqa: PLC0415

        command(prog_name="pbow")
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
