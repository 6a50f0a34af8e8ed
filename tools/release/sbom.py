"""The bill of materials, in SPDX 2.3: the libraries contain nothing but our own code; what the Python package requires at run time is named."""

from __future__ import annotations

import email.parser
import json
import pathlib
import re
import time

import deterministic
import source


def write(release: source.Release, files: list[pathlib.Path], out: pathlib.Path) -> pathlib.Path:
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch))
    ours = {
        "SPDXID": "SPDXRef-tvmq-delegate",
        "name": "tvmq-delegate",
        "versionInfo": release.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "comment": f"commit {release.commit}",
    }
    required = [_requirement(line) for line in email.parser.Parser().parsestr(release.metadata).get_all("Requires-Dist", []) if "extra ==" not in line]
    listed = [_file(path) for path in files]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", ours["SPDXID"])]
    relations += [(each["SPDXID"], "RUNTIME_DEPENDENCY_OF", ours["SPDXID"]) for each in required]
    relations += [(each["SPDXID"], "DISTRIBUTION_ARTIFACT", ours["SPDXID"]) for each in listed]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": release.name,
        "documentNamespace": f"urn:tvmq-delegate:{release.version}:{release.commit}",
        "creationInfo": {"created": created, "creators": ["Tool: tvmq-delegate tools/release"]},
        "packages": [ours, *required],
        "files": listed,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }
    path = out / f"{release.name}.spdx.json"
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


def _requirement(line: str) -> dict[str, object]:
    name = re.match(r"[\w.-]+", line)[0]  # type: ignore[index]
    return {
        "SPDXID": f"SPDXRef-required-{name}",
        "name": name,
        "versionInfo": line[len(name) :].strip(),
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
    }


def _file(path: pathlib.Path) -> dict[str, object]:
    return {
        "SPDXID": f"SPDXRef-file-{re.sub(r'[^A-Za-z0-9.-]', '-', path.name)}",
        "fileName": f"./{path.name}",
        "checksums": [{"algorithm": "SHA256", "checksumValue": deterministic.sha256(path)}],
        "licenseConcluded": "Apache-2.0",
        "copyrightText": "NOASSERTION",
    }
