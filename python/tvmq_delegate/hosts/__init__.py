"""Programs that know nothing of the delegate, run with it: `tvmq run` starts them, and a hook in each of their Python processes does the rest."""

from .launch import check, environment, program

__all__ = ["attach", "check", "environment", "program"]
