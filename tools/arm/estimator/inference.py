"""The program that is estimated: it runs in the emulated Python, invokes a model a number of times and prints one line of JSON.

    inference.py REQUEST    where REQUEST is the JSON of estimator.networks.Request and the number of `invocations`

The answer holds a digest of the model's first `outputs`, and `mapped`: the file, the first address and the end of each part of a file in memory.
"""

from __future__ import annotations

import hashlib
import json
import pathlib
import sys

from tvmq_delegate.binding import runtimes
from tvmq_delegate.models import zoo
from tvmq_delegate.sessions import Contender, inputs


def mapped() -> list[tuple[str, int, int]]:
    """(file, first address, end) of each part of a file that this process has in memory."""
    found = []
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, _, _, _, _, *path = line.split(maxsplit=5)
        first, _, end = addresses.partition("-")
        if path and path[0].startswith("/"):
            found.append((path[0], int(first, 16), int(end, 16)))
    return found


def main() -> None:
    request = json.loads(sys.argv[1])
    path = pathlib.Path(request["model"])
    source = path.read_bytes() if path.exists() else zoo.load(request["model"])
    module = runtimes.find(request["runtime"])
    session = Contender(request["contender"], options=request["options"]).open(source, module)
    (sample,) = inputs.random(inputs.describe(source, module))
    session.feed(sample.load())
    session.invoke()
    digest = hashlib.sha256(b"".join(output.tobytes() for output in session.outputs())).hexdigest()
    for _ in range(request["invocations"] - 1):  # whose outputs are others where a network keeps a state
        session.invoke()
    print(json.dumps({"outputs": digest, "mapped": mapped()}))


if __name__ == "__main__":
    main()
