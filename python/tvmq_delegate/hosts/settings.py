"""The environment variables by which `tvmq run` tells the processes below it what to do."""

from __future__ import annotations

RUN = "TVMQ_RUN"  # the folder in which processes note what they do, for the one that tells it at the end; it need not be there
TELLER = "TVMQ_RUN_TELLER"  # the number of that process
COMPARE = "TVMQ_RUN_COMPARE"  # set: each inference runs in an interpreter without the delegate, too
REPORT = "TVMQ_RUN_REPORT"  # the page to write at the end
OPTIONS = "TVMQ_OPTIONS"


def parsed(text: str) -> dict[str, str]:
    """The options in name=value pairs with semicolons or commas between them.

    Raises:
      ValueError: there is something else.
    """
    options: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.replace(",", ";").replace("\n", ";").split(";"))):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair!r} is not name=value")
        options[name.strip()] = value.strip()
    return options
