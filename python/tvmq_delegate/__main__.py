"""The console script `tvmq`, and `python -m tvmq_delegate`."""

from .cli import chatter, main


def run() -> None:
    chatter.silence()
    main(prog_name="tvmq")


if __name__ == "__main__":
    run()
