"""The console script `tvmq`, and `python -m tvmq_delegate`."""

import sys


def run() -> None:
    try:
        from .cli import chatter, main  # which takes a second on a small machine
    except KeyboardInterrupt:
        print("Interrupted", file=sys.stderr)
        sys.exit(130)
    chatter.silence()
    main(prog_name="tvmq")


if __name__ == "__main__":
    run()
