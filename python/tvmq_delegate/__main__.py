"""The console script `tvmq`, and `python -m tvmq_delegate`."""

import sys


def run() -> None:
    try:
        from .cli import chatter, main, streams
    except KeyboardInterrupt:
        print("Interrupted", file=sys.stderr)
        sys.exit(130)
    streams.prepare()
    chatter.silence()
    try:
        main(prog_name="tvmq")
    finally:
        streams.close()


if __name__ == "__main__":
    run()
