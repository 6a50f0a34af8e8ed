"""The console script `tvmq`, and `python -m tvmq_delegate`."""

import io
import sys


def run() -> None:
    try:
        from .cli import chatter, main  # which takes a second on a small machine
    except KeyboardInterrupt:
        print("Interrupted", file=sys.stderr)
        sys.exit(130)
    if isinstance(sys.stdout, io.TextIOWrapper):  # it may be closed
        sys.stdout.reconfigure(errors="replace")  # for terminals whose encoding lacks a character of a table
    chatter.silence()
    main(prog_name="tvmq")


if __name__ == "__main__":
    run()
