"""`python -m tvmq_delegate`: the same as the console script `tvmq`."""

from .cli import main

main(prog_name="tvmq")
