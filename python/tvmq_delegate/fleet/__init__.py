"""A shelf of boards, as workers of dask.distributed: which there are, and one measurement at a time on each of them. Needs the extra `fleet`.

    with fleet.connect("tls://host:8786", security=fleet.security("certificates")) as boards:
        for result in boards.run(fleet.jobs(["model.tflite"], boards.select("cpu=cortex-a72"))):
            print(result)

dask brings the scheduler, the wire and the dashboard. This room knows the rest: what a board is, that it measures one thing at a time and nothing else, how to
tell that a board is not to be trusted, and what to measure.
"""

from .board import Board, Resource, matching
from .certificates import make_certificates, security
from .client import Boards, connect, local
from .program import Program, ProgramError, beside_library, step
from .run import Outcome
from .serve import proxy, serve
from .table import Cell, Regression, Table, earlier, regressions, tabulate
from .tune import Found, tune
from .work import Job, Measured, identity, jobs, opened

__all__ = [
    "Board",
    "Boards",
    "Cell",
    "Found",
    "Job",
    "Measured",
    "Outcome",
    "Program",
    "ProgramError",
    "Regression",
    "Resource",
    "Table",
    "beside_library",
    "connect",
    "earlier",
    "identity",
    "jobs",
    "local",
    "make_certificates",
    "matching",
    "opened",
    "proxy",
    "regressions",
    "security",
    "serve",
    "step",
    "tabulate",
    "tune",
]
