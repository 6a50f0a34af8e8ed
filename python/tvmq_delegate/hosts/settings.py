"""The environment variables by which `tvmq run` tells the processes below it what to do."""

from __future__ import annotations

import re

RUN = "TVMQ_RUN"  # the file in which processes note what they do, for the one that tells it at the end
TELLER = "TVMQ_RUN_TELLER"  # the number of that process
COMPARE = "TVMQ_RUN_COMPARE"  # set: each inference runs in an interpreter without the delegate, too
OPTIONS = "TVMQ_OPTIONS"


def parsed(text: str) -> dict[str, str]:
    """The options in name=value pairs with semicolons or commas between them.

    Raises:
      ValueError: there is something else.
    """
    options: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in re.split("[;,\n]", text))):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair!r} is not name=value")
        options[name.strip()] = value.strip()
    return options
