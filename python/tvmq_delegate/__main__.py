"""The console script `tvmq`, and `python -m tvmq_delegate`."""

import sys


def run() -> None:
    if sys.argv[1:2] == ["run"]:
        from .hosts import replace_process  # the program waits for this import, and for no other

        replace_process(sys.argv[2:])
    try:
        from .cli import COMMANDS, chatter, main, streams
    except KeyboardInterrupt:
        print("Interrupted", file=sys.stderr)
        sys.exit(130)
    streams.prepare()
    if not ({*COMMANDS} - {"run"}).isdisjoint(sys.argv[1:2]):  # else nothing is loaded that chatters, or it is the program's affair
        chatter.silence()
    try:
        main(prog_name="tvmq")
    finally:
        streams.close()


if __name__ == "__main__":
    run()
