"""Programs that know nothing of the delegate, run with it: `tvmq run` starts them, and a hook in each of their Python processes does the rest."""

from .flags import FLAGS
from .launch import replace_process, start

__all__ = ["FLAGS", "attach", "replace_process", "settings", "start", "tally"]
